// libFuzzer target for chat templates: any template, compiled and rendered with a conversation.
#include <cstdint>
#include <memory>
#include <string_view>

#include "text/chat_template.h"

namespace {

constexpr std::string_view kVariables =
    R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"a <|x|> b"},)"
    R"({"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":{"n":1.0}}}]}],)"
    R"("tools":[{"type":"function"}],"add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>"})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  tribar::text::TemplateError error;
  const std::unique_ptr<tribar::text::ChatTemplate> compiled = tribar::text::ChatTemplate::compile(source, &error);
  if (compiled != nullptr) (void)compiled->render(kVariables, "2026-01-02T03:04:05");
  return 0;
}
