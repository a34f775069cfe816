// From messages or plain text to the token ids of a prompt.
//
//   Messages chat = {{"system", "Be brief."}, {"user", "Hello"}};
//   TRIBAR_ASSIGN_OR_RETURN(std::vector<int32_t> ids, encode_messages(*model, chat));
//
// Message text never becomes a control token.
// Errors: kInvalidArgument when the text is not UTF-8 or the template refuses the messages (with the template's own
// words), kUnimplemented when the model has no usable template or tokenizer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/loaded_model.h"

namespace tribar::app {

struct Message {
  std::string role;
  std::string content;
};
using Messages = std::vector<Message>;

// What the template sees, as a JSON object.
std::string template_variables(const Messages& messages, const text::Tokenizer& tokenizer);

Result<std::vector<int32_t>> encode_messages(const engine::LoadedModel& model, const Messages& messages);
enum class SpecialText : uint8_t { kPlain, kParse };  // whether text that spells a control token becomes one
Result<std::vector<int32_t>> encode_text(const engine::LoadedModel& model, const std::string& text,
                                         SpecialText special);

}  // namespace tribar::app
