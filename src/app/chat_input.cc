#include "app/chat_input.h"

namespace tribar::app {
namespace {

constexpr std::string_view kFence = "\"\"\"";

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

void MessageReader::add(std::string_view line) {
  if (state_ == State::kStart && line.starts_with(kFence)) {
    block_ = true;
    state_ = State::kBlock;
    line.remove_prefix(kFence.size());
    if (line.empty()) return;  // the text begins on the next line
  }
  if (state_ == State::kBlock) {
    if (line.ends_with(kFence)) {
      line.remove_suffix(kFence.size());
      state_ = State::kDone;
      if (line.empty() && text_.ends_with('\n')) {
        text_.pop_back();  // a closing fence on its own line
        return;
      }
    }
    text_ += line;
    if (state_ == State::kBlock) text_ += '\n';
    return;
  }
  const bool goes_on = line.ends_with('\\');
  if (goes_on) line.remove_suffix(1);
  text_ += line;
  if (goes_on) text_ += '\n';
  state_ = goes_on ? State::kContinued : State::kDone;
}

ChatInput parse_chat_line(std::string_view text) {
  if (!text.starts_with('/')) return {ChatInput::Kind::kMessage, "", std::string(text)};
  text.remove_prefix(1);
  if (text.starts_with('/')) return {ChatInput::Kind::kMessage, "", std::string(text)};
  const size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  return {ChatInput::Kind::kCommand, std::string(text.substr(0, end)), std::string(trim(text.substr(end)))};
}

}  // namespace tribar::app
