// A machine with which nothing is wrong, and what was measured on it, for tests to change.
//
//   Machine machine = made_up_machine();
//   machine.cpu_quota = 1.5;
#pragma once

#include "app/machine_profile.h"

namespace tribar::app {

inline Machine made_up_machine() {
  Machine m;
  m.cpus.name = "Test CPU 9000";
  m.cpus.online = m.cpus.allowed = m.cpus.spread = {0, 1, 2, 3};
  m.cpus.allowed_cores = 4;
  m.cpus.numa_nodes = {{0, {0, 1, 2, 3}}};
  m.cpus.caches = {{1, 32 << 10, 1, 4}, {2, 1 << 20, 1, 4}, {3, 32 << 20, 4, 1}};
  m.features = {.avx2 = true, .avx512 = true, .avx512_vnni = true};
  m.isas = {Isa::kReference, Isa::kGeneric, Isa::kAvx2, Isa::kAvx512};
  m.threads = 4;
  m.memory_total_bytes = uint64_t{32} << 30;
  m.memory_available_bytes = uint64_t{30} << 30;
  m.huge_pages.mode = m.huge_pages.defrag = "madvise";
  m.huge_page_probe = {16 << 20, 16 << 20};
  m.kernel_release = "6.1.0-test";
  m.load_average = 0.1;
  return m;
}

inline MachineProfile made_up_profile(const Machine& machine) {
  MachineProfile profile{machine_key(machine), "2026-01-02T03:04:05Z", 0.1, {}};
  profile.peaks.threads = 4;
  profile.peaks.compute = {
      {kernel::Arithmetic::kInt8, "avx512_vnni", "vpdpbusd zmm", {500, 490}, {1900, 1880}},
      {kernel::Arithmetic::kFp32, "avx512", "vfmadd231ps zmm", {125, 124}, {480, 475}},
  };
  profile.peaks.stream_bytes = uint64_t{1} << 30;
  profile.peaks.stream = {{1, {20, 19}}, {4, {50, 48}}};
  profile.peaks.caches = {{1, 16 << 10, {300, 290}}};
  profile.peaks.barrier_us = {0.2, 0.3};
  return profile;
}

}  // namespace tribar::app
