#include "app/chat_input.h"

#include <gtest/gtest.h>

#include <vector>

namespace tribar::app {
namespace {

std::string read(const std::vector<std::string>& lines) {
  MessageReader reader;
  for (const std::string& line : lines) {
    EXPECT_TRUE(reader.wants_more()) << "before '" << line << "'";
    reader.add(line);
  }
  EXPECT_FALSE(reader.wants_more());
  return reader.text();
}

TEST(MessageReader, OneLineAndContinuation) {
  EXPECT_EQ(read({"hello"}), "hello");
  EXPECT_EQ(read({""}), "");
  EXPECT_EQ(read({"a\\", "b\\", "c"}), "a\nb\nc");
  EXPECT_EQ(read({"say \"\"\"x\"\"\""}), "say \"\"\"x\"\"\"");
}

TEST(MessageReader, Blocks) {
  EXPECT_EQ(read({"\"\"\"", "a", "", "b\\", "\"\"\""}), "a\n\nb\\");
  EXPECT_EQ(read({"\"\"\"a", "b\"\"\""}), "a\nb");
  EXPECT_EQ(read({"\"\"\"one line\"\"\""}), "one line");
  EXPECT_EQ(read({"\"\"\"", "\"\"\""}), "");
  MessageReader open;
  open.add("\"\"\"");
  open.add("/help");
  EXPECT_TRUE(open.wants_more());
  EXPECT_TRUE(open.is_block());
}

TEST(ChatInput, TellsCommandsFromMessages) {
  EXPECT_EQ(parse_chat_line("hi /there").kind, ChatInput::Kind::kMessage);
  const ChatInput set = parse_chat_line("/set  temperature 0.5 ");
  EXPECT_EQ(set.kind, ChatInput::Kind::kCommand);
  EXPECT_EQ(set.command, "set");
  EXPECT_EQ(set.argument, "temperature 0.5");
  EXPECT_EQ(parse_chat_line("/help").argument, "");
  EXPECT_EQ(parse_chat_line("/").command, "");
  EXPECT_EQ(parse_chat_line("//etc/passwd").kind, ChatInput::Kind::kMessage);
  EXPECT_EQ(parse_chat_line("//etc/passwd").argument, "/etc/passwd");
}

}  // namespace
}  // namespace tribar::app
