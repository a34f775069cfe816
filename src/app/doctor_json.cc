#include <algorithm>

#include "app/doctor_report.h"
#include "app/json_writer.h"

namespace tribar::app {
namespace {

constexpr int kDigits = 6;

void write_features(const Machine& m, JsonWriter* json) {
  const CpuFeatures& f = m.features;
  const std::pair<const char*, bool> features[] = {
      {"avx2", f.avx2},
      {"avx512", f.avx512},
      {"avx512_vnni", f.avx512_vnni},
      {"avx512_bf16", f.avx512_bf16},
      {"avx512_vbmi", f.avx512_vbmi},
      {"avx512_fp16", f.avx512_fp16},
      {"avx_vnni", f.avx_vnni},
      {"amx_tile", f.amx_tile},
      {"amx_int8", f.amx_int8},
      {"amx_bf16", f.amx_bf16},
      {"amx_permission", m.amx_permission},
  };
  json->key("features").begin_object();
  for (const auto& [name, there] : features) json->key(name).boolean(there);
  json->end_object();
}

void write_isa(const Diagnosis& d, JsonWriter* json) {
  json->key("isa").begin_object().key("chosen").string(isa_name(d.isa)).key("forced");
  if (d.forced_isa) {
    json->string(*d.forced_isa);
  } else {
    json->null();
  }
  json->key("supported").begin_array();
  for (Isa isa : d.machine.isas) json->string(isa_name(isa));
  json->end_array().end_object();
}

void write_cpu(const Diagnosis& d, JsonWriter* json) {
  const Machine& m = d.machine;
  const auto cpus = [&](const char* name, const std::vector<int>& list) {
    json->key(name).begin_array();
    for (int cpu : list) json->integer(cpu);
    json->end_array();
  };
  json->key("cpu").begin_object().key("name").string(m.cpus.name);
  write_features(m, json);
  cpus("online", m.cpus.online);
  cpus("allowed", m.cpus.allowed);
  json->key("quota");
  if (m.cpu_quota) {
    json->number(*m.cpu_quota, kDigits);
  } else {
    json->null();
  }
  json->key("threads").integer(m.threads).key("cores").integer(m.cpus.allowed_cores);
  json->key("threads_per_core").integer(m.cpus.threads_per_core);
  json->key("numa_nodes").begin_array();
  for (const NumaNode& node : m.cpus.numa_nodes) {
    json->begin_object().key("id").integer(node.id);
    cpus("cpus", node.cpus);
    json->end_object();
  }
  json->end_array().key("caches").begin_array();
  for (const CpuCache& cache : m.cpus.caches) {
    json->begin_object().key("level").integer(cache.level).key("size_bytes").unsigned_integer(cache.size_bytes);
    json->key("sharing_cpus").integer(cache.sharing_cpus).key("instances").integer(cache.instances).end_object();
  }
  json->end_array().end_object();
}

void write_memory(const Machine& m, JsonWriter* json) {
  json->key("memory").begin_object().key("total_bytes").unsigned_integer(m.memory_total_bytes).key("limit_bytes");
  if (m.memory_limit_bytes) {
    json->unsigned_integer(*m.memory_limit_bytes);
  } else {
    json->null();
  }
  json->key("available_bytes").unsigned_integer(m.memory_available_bytes).end_object();
  const HugePageState& huge = m.huge_pages;
  json->key("huge_pages").begin_object().key("mode").string(huge.mode).key("defrag").string(huge.defrag);
  json->key("probe_asked_bytes").unsigned_integer(m.huge_page_probe.asked_bytes);
  json->key("probe_huge_bytes").unsigned_integer(m.huge_page_probe.huge_bytes);
  json->key("hugetlb_page_bytes").unsigned_integer(huge.hugetlb_page_bytes);
  json->key("hugetlb_pages").unsigned_integer(huge.hugetlb_pages);
  json->key("hugetlb_free_pages").unsigned_integer(huge.hugetlb_free_pages);
  json->key("hugetlbfs_mount").string(huge.hugetlbfs_mount).end_object();
}

void write_self_test(const std::vector<kernel::KernelCheck>& checks, JsonWriter* json) {
  const bool passed = std::ranges::all_of(checks, &kernel::KernelCheck::passed);
  json->key("self_test").begin_object().key("passed").boolean(passed).key("checks").begin_array();
  for (const kernel::KernelCheck& check : checks) {
    json->begin_object().key("isa").string(isa_name(check.isa)).key("kernel").string(check.name);
    json->key("passed").boolean(check.passed()).key("error").number(check.error, kDigits);
    json->key("tolerance").number(check.tolerance, kDigits).key("unit").string(check.unit).end_object();
  }
  json->end_array().end_object();
}

}  // namespace

std::string doctor_json(const DoctorFindings& findings) {
  const Diagnosis& d = findings.diagnosis;
  JsonWriter json;
  json.begin_object().key("tribar_version").string(d.profile.key.tribar_version);
  json.key("kernel_release").string(d.machine.kernel_release);
  json.key("load_average").number(d.machine.load_average, kDigits);
  write_isa(d, &json);
  write_cpu(d, &json);
  write_memory(d.machine, &json);
  json.key("peaks").begin_object().key("from_cache").boolean(findings.from_cache);
  json.key("measured_at").string(d.profile.measured_at).key("disturbed").boolean(was_disturbed(d.profile));
  write_peaks(d.profile.peaks, &json);
  json.end_object();
  write_self_test(d.checks, &json);
  json.key("verdict").begin_object().key("name").string(verdict_name(findings.advice)).key("advice").begin_array();
  for (const Advice& advice : findings.advice) {
    json.begin_object().key("severity").string(severity_name(advice.severity)).key("id").string(advice.id);
    json.key("text").string(advice.text).key("command").string(advice.command).end_object();
  }
  json.end_array().end_object().end_object();
  return json.text() + "\n";
}

}  // namespace tribar::app
