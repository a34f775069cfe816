// The verdict of `tribar doctor`: what is wrong with this machine for Tribar and what to do about it.
//
//   for (const Advice& advice : judge({.machine = machine, .isa = isa, ...})) ... advice.text, advice.command
//
// Pure: every rule can be tried with a made-up machine. Threads: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/machine_profile.h"
#include "base/machine.h"
#include "kernel/kernel_check.h"

namespace tribar::app {

enum class Severity : uint8_t {
  kError,    // wrong answers: exit code 1
  kWarning,  // costs speed, can be changed
  kNote,     // worth knowing
};
std::string_view severity_name(Severity severity);

struct Advice {
  Severity severity = Severity::kNote;
  std::string id;       // stable: "huge_pages_off"
  std::string text;     // one or two plain sentences
  std::string command;  // what to type, "" when nothing helps
};

struct Diagnosis {
  const Machine& machine;
  Isa isa = Isa::kReference;              // the level in use
  std::optional<std::string> forced_isa;  // TRIBAR_FORCE_ISA
  const MachineProfile& profile;
  const std::vector<kernel::KernelCheck>& checks;
  int wanted_threads = 0;  // -t; 0: the default
};

// The gravest first.
std::vector<Advice> judge(const Diagnosis& diagnosis);

}  // namespace tribar::app
