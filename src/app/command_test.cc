#include "app/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace tribar::app {
namespace {

using testing::HasSubstr;

Command add_greet(CLI::App* root) {
  auto name = std::make_shared<std::string>();
  auto times = std::make_shared<int>(1);
  CLI::App* parser = add_parser(root, "greet", "Says hello", "  tribar greet Ann --times 2\n");
  parser->add_option("NAME", *name, "Whom")->required();
  parser->add_option("-t,--times", *times, "How often");
  return {parser, [name, times]() -> Status {
            if (*name == "nobody") return not_found("nobody is not here");
            if (*name == "defect") return internal_error("defect");
            if (*name == "ctrl-c") return Status(StatusCode::kCancelled, "");
            if (*name == "memory") throw std::bad_alloc();
            if (*name == "throw") throw std::runtime_error("thrown");
            for (int i = 0; i < *times; ++i) std::printf("hello %s\n", name->c_str());
            return {};
          }};
}

struct Outcome {
  int code;
  std::string out, err;
};

Outcome command_line(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tribar");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_command_line(static_cast<int>(arguments.size()), arguments.data(), {add_greet});
  std::string out = testing::internal::GetCapturedStdout();
  return {code, out, testing::internal::GetCapturedStderr()};
}

TEST(CommandLine, ExecutesTheCommand) {
  const Outcome o = command_line({"greet", "Ann", "--times", "2"});
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.out, "hello Ann\nhello Ann\n");
  EXPECT_EQ(o.err, "");
}

TEST(CommandLine, MapsFailuresToExitCodes) {
  EXPECT_EQ(command_line({"greet", "nobody"}).code, 2);
  EXPECT_EQ(command_line({"greet", "nobody"}).err, "tribar: error: nobody is not here\n");
  EXPECT_EQ(command_line({"greet", "defect"}).code, 1);
  EXPECT_EQ(command_line({"greet", "ctrl-c"}).code, 130);
  EXPECT_EQ(command_line({"greet", "ctrl-c"}).err, "");
  EXPECT_EQ(command_line({"greet", "memory"}).code, 2);
  EXPECT_EQ(command_line({"greet", "throw"}).code, 1);
  EXPECT_THAT(command_line({"greet", "throw"}).err, HasSubstr("thrown"));
}

TEST(CommandLine, SuggestsTheMeantOptionEvenWhenAnArgumentIsMissing) {
  const Outcome o = command_line({"greet", "--tiems"});
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.err, "tribar: error: unknown option '--tiems'; did you mean '--times'?\nSee 'tribar greet --help'.\n");
  EXPECT_THAT(command_line({"greet", "Ann", "--tme=3"}).err, HasSubstr("did you mean '--times'?"));
}

TEST(CommandLine, SuggestsTheMeantCommand) {
  const Outcome o = command_line({"gret", "Ann"});
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.err, "tribar: error: unknown command 'gret'; did you mean 'greet'?\nSee 'tribar --help'.\n");
  EXPECT_THAT(command_line({"frobnicate"}).err, HasSubstr("unknown command 'frobnicate'\n"));
}

TEST(CommandLine, NamesWhatIsWrong) {
  EXPECT_THAT(command_line({"greet"}).err, HasSubstr("NAME is required"));
  EXPECT_THAT(command_line({"greet", "Ann", "Bob"}).err, HasSubstr("unexpected argument 'Bob'"));
  EXPECT_THAT(command_line({"greet", "Ann", "-t", "many"}).err, HasSubstr("many"));
  EXPECT_EQ(command_line({"greet", "Ann", "-t", "many"}).code, 2);
}

TEST(CommandLine, HelpShowsExamplesAndExitCodes) {
  EXPECT_EQ(command_line({"--help"}).code, 0);
  EXPECT_THAT(command_line({"--help"}).out, HasSubstr("greet"));
  EXPECT_THAT(command_line({"--help"}).out, HasSubstr("130 interrupted"));
  EXPECT_THAT(command_line({}).out, HasSubstr("greet"));
  EXPECT_THAT(command_line({"greet", "--help"}).out, HasSubstr("Examples:\n  tribar greet Ann --times 2\n"));
  EXPECT_THAT(command_line({"--version"}).out, HasSubstr("tribar 0."));
}

}  // namespace
}  // namespace tribar::app
