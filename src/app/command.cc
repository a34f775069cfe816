#include "app/command.h"

#include <cstdio>
#include <exception>
#include <new>

#include "app/suggest.h"
#include "app/terminal.h"

namespace tribar::app {
namespace {

// The footer (examples, exit codes) already ends in a newline.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(34); }
  std::string make_footer(const CLI::App* app) const override { return app->get_footer(); }
};

void print_error(const std::string& message, const CLI::App* parser) {
  const Style style = Style::for_stream(stderr);
  std::fprintf(stderr, "%stribar: error:%s %s\n", style.red(), style.reset(), message.c_str());
  if (parser == nullptr) return;
  const std::string command = parser->get_parent() == nullptr ? "tribar" : "tribar " + parser->get_name();
  std::fprintf(stderr, "See '%s --help'.\n", command.c_str());
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "'" + words[i] + "'";
  }
  return text;
}

std::string with_suggestion(std::string message, const std::string& word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = closest(word, candidates);
  if (!near.empty()) message += "; did you mean " + quoted_list(near) + "?";
  return message;
}

std::vector<std::string> option_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

const CLI::App* parsed_command(const CLI::App& root) {
  const std::vector<CLI::App*> parsed = root.get_subcommands();
  return parsed.empty() ? nullptr : parsed.front();
}

// CLI11 complains about missing arguments before it complains about ones it does not know; the unknown one is usually
// the reason, so it is named first.
std::string usage_message(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App* command = parsed_command(root);
  const CLI::App& parser = command == nullptr ? root : *command;
  for (const std::string& word : parser.remaining()) {
    if (word == "--") continue;
    if (word.size() > 1 && word.starts_with('-')) {
      const std::string name = word.substr(0, word.find('='));
      return with_suggestion("unknown option '" + name + "'", name, option_names(parser));
    }
    if (command == nullptr) return with_suggestion("unknown command '" + word + "'", word, command_names(root));
    return "unexpected argument '" + word + "'";
  }
  if (command == nullptr && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    return "no command given";
  }
  return error.what();
}

int report(const Status& status) {
  if (status.ok()) return kExitOk;
  if (status.code() != StatusCode::kCancelled || !status.message().empty()) print_error(status.message(), nullptr);
  return exit_code(status);
}

// No exception leaves a module by design; what arrives here is exhausted memory or a defect, and even then the user
// gets a line and an exit code instead of a signal.
int execute(const Command& command) {
  try {
    return report(command.execute());
  } catch (const std::bad_alloc&) {
    return report(resource_exhausted("out of memory"));
  } catch (const std::exception& e) {
    return report(internal_error(std::string("internal error: ") + e.what()));
  }
}

}  // namespace

int exit_code(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk: return kExitOk;
    case StatusCode::kInternal: return kExitInternal;
    case StatusCode::kCancelled: return kExitInterrupted;
    default: return kExitUsage;
  }
}

CLI::App* add_parser(CLI::App* root, const std::string& name, const std::string& summary, const std::string& examples) {
  CLI::App* parser = root->add_subcommand(name, summary);
  parser->footer("Examples:\n" + examples);
  return parser;
}

int run_command_line(int argc, const char* const* argv, const std::vector<AddCommand>& commands) {
  CLI::App root("Tribar: run large language models on the CPU.", "tribar");
  root.formatter(std::make_shared<HelpFormatter>());
  root.set_version_flag("--version", std::string("tribar ") + TRIBAR_VERSION);
  root.require_subcommand(1);
  root.footer(
      "Examples:\n"
      "  tribar run model.gguf -p 'Why is the sky blue?'\n"
      "  tribar chat model.gguf\n"
      "'tribar COMMAND --help' shows a command's options and examples.\n"
      "Exit codes: 0 success, 1 internal error, 2 wrong input or usage, 130 interrupted.\n");

  std::vector<Command> added;
  for (AddCommand add : commands) added.push_back(add(&root));
  if (argc <= 1) {
    std::fputs(root.help().c_str(), stdout);
    return kExitOk;
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return root.exit(wanted) == 0 ? kExitOk : kExitInternal;
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = parsed_command(root);
    print_error(usage_message(root, error), command == nullptr ? &root : command);
    return kExitUsage;
  }
  for (const Command& command : added) {
    if (command.parser->parsed()) return execute(command);
  }
  return report(internal_error("internal error: no command was chosen"));
}

}  // namespace tribar::app
