// The JSON form of a MachineProfile, written and read.
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

#include "app/machine_profile.h"

namespace tribar::app {
namespace {

namespace json = boost::json;
using kernel::Arithmetic;
using kernel::Measured;

constexpr int64_t kFormat = 1;
constexpr int kDigits = 6;
constexpr std::pair<Arithmetic, std::string_view> kArithmetics[] = {
    {Arithmetic::kInt8, "int8"}, {Arithmetic::kBf16, "bf16"}, {Arithmetic::kFp32, "fp32"}};

void write(std::string_view name, const Measured& measured, JsonWriter* out) {
  out->key(name).begin_object().key("best").number(measured.best, kDigits);
  out->key("median").number(measured.median, kDigits).end_object();
}

void write_key(const MachineKey& key, JsonWriter* out) {
  out->key("key").begin_object().key("cpu").string(key.cpu).key("features").string(key.features);
  out->key("allowed_cpus").string(key.allowed_cpus).key("quota").number(key.quota, 17);
  out->key("threads").integer(key.threads).key("kernel_release").string(key.kernel_release);
  out->key("tribar_version").string(key.tribar_version).end_object();
}

// The readers throw what boost::json throws, caught in parse_profile; one place for a file with anything wrong in it.
std::string text_of(const json::value& object, const char* name) {
  const json::string& text = object.at(name).as_string();
  return {text.begin(), text.end()};
}

double number_of(const json::value& object, const char* name) {
  const auto number = object.at(name).to_number<double>();
  if (!std::isfinite(number) || number < 0) throw std::out_of_range(name);
  return number;
}

int count_of(const json::value& object, const char* name) {
  const int64_t count = object.at(name).as_int64();
  if (count < 1 || count > 1 << 20) throw std::out_of_range(name);
  return static_cast<int>(count);
}

// A rate of nothing cannot be divided by.
Measured measured_of(const json::value& object, const char* name) {
  const json::value& both = object.at(name);
  const Measured measured{number_of(both, "best"), number_of(both, "median")};
  if (measured.best <= 0 || measured.median <= 0) throw std::out_of_range(name);
  return measured;
}

Arithmetic arithmetic_of(const json::value& object) {
  const std::string name = text_of(object, "arithmetic");
  for (const auto& [arithmetic, known] : kArithmetics) {
    if (name == known) return arithmetic;
  }
  throw std::out_of_range(name);
}

kernel::MachinePeaks peaks_of(const json::value& object) {
  kernel::MachinePeaks peaks;
  peaks.threads = count_of(object, "threads");
  for (const json::value& c : object.at("compute_gops").as_array()) {
    peaks.compute.push_back({arithmetic_of(c), text_of(c, "name"), text_of(c, "instruction"),
                             measured_of(c, "one_thread"), measured_of(c, "all_threads")});
  }
  peaks.stream_bytes = static_cast<uint64_t>(number_of(object, "read_stream_buffer_bytes"));
  for (const json::value& s : object.at("read_stream_gbps").as_array()) {
    const int threads = count_of(s, "threads");
    if (!peaks.stream.empty() && threads <= peaks.stream.back().threads) throw std::out_of_range("threads");
    peaks.stream.push_back({threads, measured_of(s, "gbps")});
  }
  if (peaks.stream.empty()) throw std::out_of_range("read_stream_gbps");
  for (const json::value& c : object.at("read_cache_gbps").as_array()) {
    peaks.caches.push_back(
        {count_of(c, "level"), static_cast<uint64_t>(number_of(c, "buffer_bytes")), measured_of(c, "gbps")});
  }
  peaks.barrier_us = measured_of(object, "barrier_us");
  return peaks;
}

MachineProfile profile_of(const json::value& object) {
  if (object.at("format").as_int64() != kFormat) throw std::out_of_range("format");
  const json::value& key = object.at("key");
  MachineProfile profile;
  profile.key = {text_of(key, "cpu"),           text_of(key, "features"), text_of(key, "allowed_cpus"),
                 number_of(key, "quota"),       count_of(key, "threads"), text_of(key, "kernel_release"),
                 text_of(key, "tribar_version")};
  profile.measured_at = text_of(object, "measured_at");
  profile.load_average = number_of(object, "load_average");
  profile.peaks = peaks_of(object.at("peaks"));
  return profile;
}

}  // namespace

void write_peaks(const kernel::MachinePeaks& peaks, JsonWriter* out) {
  out->key("threads").integer(peaks.threads).key("compute_gops").begin_array();
  for (const kernel::ComputePeak& peak : peaks.compute) {
    const auto* arithmetic =
        std::ranges::find(kArithmetics, peak.arithmetic, &std::pair<Arithmetic, std::string_view>::first);
    out->begin_object().key("arithmetic").string(arithmetic->second).key("name").string(peak.name);
    out->key("instruction").string(peak.instruction);
    write("one_thread", peak.one_thread, out);
    write("all_threads", peak.all_threads, out);
    out->end_object();
  }
  out->end_array().key("read_stream_buffer_bytes").unsigned_integer(peaks.stream_bytes);
  out->key("read_stream_gbps").begin_array();
  for (const kernel::StreamPeak& peak : peaks.stream) {
    out->begin_object().key("threads").integer(peak.threads);
    write("gbps", peak.gbps, out);
    out->end_object();
  }
  out->end_array().key("read_cache_gbps").begin_array();
  for (const kernel::CachePeak& peak : peaks.caches) {
    out->begin_object().key("level").integer(peak.level).key("buffer_bytes").unsigned_integer(peak.buffer_bytes);
    write("gbps", peak.gbps, out);
    out->end_object();
  }
  out->end_array();
  write("barrier_us", peaks.barrier_us, out);
}

std::string profile_json(const MachineProfile& profile) {
  JsonWriter out;
  out.begin_object().key("format").integer(kFormat);
  write_key(profile.key, &out);
  out.key("measured_at").string(profile.measured_at).key("load_average").number(profile.load_average, kDigits);
  out.key("peaks").begin_object();
  write_peaks(profile.peaks, &out);
  out.end_object().end_object();
  return out.text();
}

std::optional<MachineProfile> parse_profile(std::string_view text) {
  try {
    return profile_of(json::parse({text.data(), text.size()}));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace tribar::app
