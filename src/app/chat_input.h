// What the user types in a chat, put together: a message of one or several lines, or a command.
//
//   ChatInput input = parse_chat_line("/set temperature 0.5");   // kCommand, "set", "temperature 0.5"
//
//   MessageReader reader;                     // several lines: """ opens and closes, or a backslash at the end goes on
//   while (reader.wants_more()) reader.add(line);
//   reader.text()
//
// A line that begins with "//" is a message that begins with "/".
// Threads: values.
#pragma once

#include <string>
#include <string_view>

namespace tribar::app {

class MessageReader {
 public:
  void add(std::string_view line);
  bool wants_more() const { return state_ != State::kDone; }
  // True before the first line.
  bool is_empty() const { return state_ == State::kStart; }
  // Whether the message was written as a block: then it is no command, whatever it begins with.
  bool is_block() const { return block_; }
  const std::string& text() const { return text_; }

 private:
  enum class State : uint8_t { kStart, kContinued, kBlock, kDone };
  State state_ = State::kStart;
  bool block_ = false;
  std::string text_;
};

struct ChatInput {
  enum class Kind : uint8_t { kMessage, kCommand };
  Kind kind = Kind::kMessage;
  std::string command;   // without the slash
  std::string argument;  // of the command, or the message
};
ChatInput parse_chat_line(std::string_view text);

}  // namespace tribar::app
