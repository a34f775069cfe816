// The commands of `tribar`, in the order `tribar --help` shows them.
#include "app/commands.h"

int main(int argc, char** argv) {
  using namespace tribar::app;
  return run_command_line(argc, argv,
                          {
                              add_run,
                              add_chat,
                              add_bench,
                              add_perplexity,
                              add_inspect,
                              add_list,
                              add_doctor,
                              add_tokenize,
                              add_render,
                              add_logits,
                              add_sample,
                          });
}
