// tribar doctor: what this machine is, what it can do at most, whether every kernel computes rightly, what to change.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/doctor_report.h"
#include "app/interrupt.h"
#include "app/thread_warning.h"

namespace tribar::app {
namespace {

struct DoctorOptions {
  int threads = 0;
  bool json = false;
  bool refresh = false;
};

std::vector<kernel::KernelCheck> check_all_kernels(const Machine& machine) {
  std::vector<kernel::KernelCheck> checks;
  for (Isa isa : machine.isas) {
    std::vector<kernel::KernelCheck> of_isa = kernel::check_kernels(isa);
    std::ranges::move(of_isa, std::back_inserter(checks));
  }
  return checks;
}

std::optional<std::string> forced_isa() {
  const char* forced = std::getenv("TRIBAR_FORCE_ISA");
  if (forced == nullptr || *forced == '\0') return std::nullopt;
  return forced;
}

Status doctor(const DoctorOptions& options) {
  InterruptScope interrupt;
  TRIBAR_ASSIGN_OR_RETURN(const Isa isa, detect_isa());
  warn_of_threads(options.threads);
  const Machine machine = read_machine();
  TRIBAR_ASSIGN_OR_RETURN(const ProfileSource source, machine_profile(machine, {.refresh = options.refresh}));
  // Not cached: it takes a fraction of a second, and a wrong answer must never be an old one.
  const std::vector<kernel::KernelCheck> checks = check_all_kernels(machine);
  const Diagnosis diagnosis{machine, isa, forced_isa(), source.profile, checks, options.threads};
  const std::vector<Advice> advice = judge(diagnosis);
  const DoctorFindings findings{diagnosis, advice, source.from_cache};
  const std::string text = options.json ? doctor_json(findings) : doctor_text(findings, Style::for_stream(stdout));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  const auto failed = std::ranges::count_if(checks, [](const kernel::KernelCheck& check) { return !check.passed(); });
  if (failed > 0) return internal_error(std::to_string(failed) + " kernels compute wrongly on this machine");
  return {};
}

}  // namespace

Command add_doctor(CLI::App* root) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* parser =
      add_parser(root, "doctor", "Look at the machine: features, limits, peaks, a test of every kernel",
                 "  tribar doctor\n"
                 "  tribar doctor --refresh\n"
                 "  tribar doctor --json | jq .verdict\n"
                 "Measures once (some seconds on an idle machine) and keeps the result; 'bench' uses it.\n");
  parser->add_option("-t,--threads", options->threads, "A number of threads you mean to use, to be judged")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  parser->add_flag("--json", options->json, "One JSON object with everything");
  parser->add_flag("--refresh", options->refresh, "Measure again, even if there is a result");
  return {parser, [options] { return doctor(*options); }};
}

}  // namespace tribar::app
