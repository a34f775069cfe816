// Command: one subcommand of `tribar`. Each lives in its own file and hands out its parser and what to do.
//
//   Command add_run(CLI::App* root) {
//     auto options = std::make_shared<RunOptions>();
//     CLI::App* parser = add_parser(root, "run", "Answer one prompt", "  tribar run smollm2 -p 'Hello'\n");
//     parser->add_option("-p,--prompt", options->prompt, "Text to answer");
//     return {parser, [options] { return run(*options); }};
//   }
//
// main.cc lists the commands, parses, executes one, and is the only place that prints an error or chooses an exit code.
// `execute` returns a Status whose message is one line without a newline; it prints results to stdout, everything else
// (progress, statistics) to stderr.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/status.h"

namespace tribar::app {

// Exit codes of every command, documented in docs/cli.md. 130 is what shells report for Ctrl-C.
enum ExitCode : int { kExitOk = 0, kExitInternal = 1, kExitUsage = 2, kExitInterrupted = 130 };

// kInternal is 1, kCancelled 130; everything else is the fault of the input, a file or an option: 2.
int exit_code(const Status& status);

struct Command {
  CLI::App* parser = nullptr;
  std::function<Status()> execute;
};
using AddCommand = Command (*)(CLI::App* root);

// A subcommand with --help that ends in `examples` (lines indented by two spaces, each ending in a newline).
CLI::App* add_parser(CLI::App* root, const std::string& name, const std::string& summary, const std::string& examples);

// Parses argv with `commands`, executes the chosen one and returns the process's exit code.
int run_command_line(int argc, const char* const* argv, const std::vector<AddCommand>& commands);

}  // namespace tribar::app
