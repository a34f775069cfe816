// The subcommands of `tribar`, one source file each. main.cc puts them in order.
#pragma once

#include "app/command.h"

namespace tribar::app {

Command add_run(CLI::App* root);
Command add_chat(CLI::App* root);
Command add_bench(CLI::App* root);
Command add_perplexity(CLI::App* root);
Command add_inspect(CLI::App* root);
Command add_tokenize(CLI::App* root);
Command add_render(CLI::App* root);
Command add_list(CLI::App* root);
Command add_doctor(CLI::App* root);
Command add_logits(CLI::App* root);
Command add_sample(CLI::App* root);

}  // namespace tribar::app
