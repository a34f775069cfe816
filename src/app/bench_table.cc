#include "app/bench_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string_view>

#include "app/json_writer.h"
#include "app/op_table.h"

namespace tribar::app {
namespace {

constexpr int kDigits = 9;
constexpr double kNsPerUs = 1000;

std::string format(const char* pattern, double value) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string size_text(uint64_t bytes) {
  const double mib = static_cast<double>(bytes) / (1 << 20);
  return mib >= 1024 ? format("%.2f GiB", mib / 1024) : format("%.2f MiB", mib);
}

std::string parameter_text(int64_t parameters) {
  const auto n = static_cast<double>(parameters);
  return n >= 1e9 ? format("%.2f B", n / 1e9) : format("%.2f M", n / 1e6);
}

std::vector<double> in_ns(const std::vector<double>& us) {
  std::vector<double> ns = us;
  for (double& value : ns) value *= kNsPerUs;
  return ns;
}

void write_share(std::string_view name, const std::optional<double>& share, JsonWriter* json) {
  json->key(name);
  if (share) {
    json->number(*share, kDigits);
  } else {
    json->null();
  }
}

void write_ceilings(const BenchCeilings& c, const BenchShares& shares, JsonWriter* json) {
  json->key("weight_bytes").integer(c.weight_bytes).key("macs_per_token").integer(c.macs_per_token);
  json->key("macs_per_logit_row").integer(c.macs_per_logit_row);
  json->key("stream_gbps").number(c.stream_gbps, kDigits);
  json->key("stream_median_gbps").number(c.stream_median_gbps, kDigits);
  json->key("int8_peak_name").string(c.int8_name).key("int8_peak_gops").number(c.int8_gops, kDigits);
  json->key("amx_int8_peak_gops").number(c.amx_gops, kDigits);
  write_share("stream_percent", shares.stream, json);
  write_share("int8_percent", shares.int8, json);
  write_share("amx_int8_percent", shares.amx, json);
}

void write_activation_groups(const std::vector<runtime::ActivationGroup>& groups, JsonWriter* json) {
  json->key("activation_groups").begin_array();
  for (const runtime::ActivationGroup& g : groups) {
    json->begin_object().key("layer").string(g.layer).key("cols").integer(g.cols).key("group").integer(g.group);
    json->key("error_32").number(g.error_narrow, kDigits).key("error_128").number(g.error_wide, kDigits).end_object();
  }
  json->end_array();
}

// One line under the table; empty where the kernels leave no choice.
std::string activation_groups_text(const std::vector<runtime::ActivationGroup>& groups) {
  if (groups.empty()) return {};
  const auto wide = std::count_if(groups.begin(), groups.end(), [](const auto& g) { return g.group > 32; });
  return "\nactivations: one scale for 128 columns in " + std::to_string(wide) + " of " +
         std::to_string(groups.size()) + " inputs of linear layers, for 32 in the others\n";
}

std::string share_text(const std::optional<double>& share) { return share ? format("%.1f", *share) : ""; }

// Columns behind llama-bench's, all of one table alike.
struct ShareColumns {
  bool any = false;
  bool amx = false;
  std::string int8_heading;
};

ShareColumns share_columns(const std::vector<BenchResult>& results) {
  ShareColumns columns;
  for (const BenchResult& result : results) {
    if (!result.ceilings) continue;
    columns.any = true;
    columns.amx = columns.amx || result.ceilings->amx_gops > 0;
    columns.int8_heading = "% " + result.ceilings->int8_name;
  }
  return columns;
}

void write_result(const BenchModel& model, const BenchResult& result, JsonWriter* json) {
  const std::vector<double> ns = in_ns(result.samples_us);
  const std::vector<double> speeds = result.samples_tokens_per_second();
  const MeanAndDeviation time = mean_and_deviation(ns), speed = mean_and_deviation(speeds);
  json->begin_object().key("cpu_info").string(model.cpu).key("backends").string(model.backend);
  json->key("model_filename").string(model.file).key("model_type").string(model.type);
  json->key("model_size").unsigned_integer(model.size_bytes).key("model_n_params").integer(model.parameters);
  json->key("n_batch").integer(result.chunk).key("n_ubatch").integer(result.chunk);
  json->key("n_threads").integer(result.threads);
  json->key("type_k").string(model.kv_type).key("type_v").string(model.kv_type);
  json->key("n_prompt").integer(result.n_prompt).key("n_gen").integer(result.n_gen);
  json->key("n_depth").integer(result.n_depth).key("test_time").string(result.time);
  json->key("avg_ns").integer(std::llround(time.mean)).key("stddev_ns").integer(std::llround(time.deviation));
  json->key("avg_ts").number(speed.mean, kDigits).key("stddev_ts").number(speed.deviation, kDigits);
  json->key("samples_ns").begin_array();
  for (double sample : ns) json->integer(std::llround(sample));
  json->end_array().key("samples_ts").begin_array();
  for (double sample : speeds) json->number(sample, kDigits);
  json->end_array();
  write_activation_groups(model.activation_groups, json);
  json->key("prefetch_bytes").integer(model.prefetch_bytes);
  if (result.profile) write_op_profile(*result.profile, json);
  if (result.ceilings) write_ceilings(*result.ceilings, result.shares(), json);
  json->end_object();
}

}  // namespace

BenchShares BenchResult::shares() const {
  BenchShares shares;
  if (!ceilings || samples_us.empty()) return shares;
  const BenchCeilings& c = *ceilings;
  const double tokens_per_second = mean_and_deviation(samples_tokens_per_second()).mean;
  const bool decode = n_gen > 0 && n_prompt == 0;
  const bool prefill = n_prompt > 0 && n_gen == 0;
  if (decode && c.stream_gbps > 0) {
    shares.stream = 100 * 1e-9 * static_cast<double>(c.weight_bytes) * tokens_per_second / c.stream_gbps;
  }
  if (!prefill) return shares;
  // Every token goes through the layers, only the last through the output layer.
  const double macs =
      static_cast<double>(c.macs_per_token) + static_cast<double>(c.macs_per_logit_row) / static_cast<double>(n_prompt);
  const double gops = 2e-9 * macs * tokens_per_second;
  if (c.int8_gops > 0) shares.int8 = 100 * gops / c.int8_gops;
  if (c.amx_gops > 0) shares.amx = 100 * gops / c.amx_gops;
  return shares;
}

std::vector<double> BenchResult::samples_tokens_per_second() const {
  std::vector<double> speeds;
  speeds.reserve(samples_us.size());
  for (double us : samples_us) speeds.push_back(static_cast<double>(n_prompt + n_gen) / (us / 1e6));
  return speeds;
}

MeanAndDeviation mean_and_deviation(const std::vector<double>& samples) {
  if (samples.empty()) return {};
  const auto n = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  if (samples.size() == 1) return {mean, 0};
  double squares = 0;
  for (double sample : samples) squares += (sample - mean) * (sample - mean);
  return {mean, std::sqrt(squares / (n - 1))};
}

std::string test_name(const BenchResult& result) {
  std::string name;
  if (result.n_prompt > 0) name += "pp" + std::to_string(result.n_prompt);
  if (result.n_prompt > 0 && result.n_gen > 0) name += "+";
  if (result.n_gen > 0) name += "tg" + std::to_string(result.n_gen);
  if (result.n_depth > 0) name += " @ d" + std::to_string(result.n_depth);
  return name;
}

std::string bench_markdown(const BenchModel& model, const std::vector<BenchResult>& results) {
  const ShareColumns columns = share_columns(results);
  std::string heading =
      "| model                          |       size |     params | backend    | threads |            test |           "
      "       t/s |";
  std::string rule =
      "| ------------------------------ | ---------: | ---------: | ---------- | ------: | --------------: | "
      "-------------------: |";
  const auto add_column = [&](const char* name) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), " %13s |", name);
    heading += text.data();
    rule += " ------------: |";
  };
  if (columns.any) {
    add_column("% stream");
    add_column(columns.int8_heading.c_str());
    if (columns.amx) add_column("% amx_int8");
  }
  std::string text = heading + "\n" + rule + "\n";
  for (const BenchResult& result : results) {
    const MeanAndDeviation speed = mean_and_deviation(result.samples_tokens_per_second());
    const std::string speed_text = format("%.2f", speed.mean) + " ± " + format("%.2f", speed.deviation);
    std::array<char, 512> line;
    // "±" takes two bytes and one column.
    std::snprintf(line.data(), line.size(), "| %-30s | %10s | %10s | %-10s | %7d | %15s | %21s |", model.type.c_str(),
                  size_text(model.size_bytes).c_str(), parameter_text(model.parameters).c_str(), model.backend.c_str(),
                  result.threads, test_name(result).c_str(), speed_text.c_str());
    text += line.data();
    if (columns.any) {
      const BenchShares shares = result.shares();
      std::snprintf(line.data(), line.size(), " %13s | %13s |", share_text(shares.stream).c_str(),
                    share_text(shares.int8).c_str());
      text += line.data();
      std::snprintf(line.data(), line.size(), " %13s |", share_text(shares.amx).c_str());
      if (columns.amx) text += line.data();
    }
    text += "\n";
  }
  text += activation_groups_text(model.activation_groups);
  for (const BenchResult& result : results) {
    if (!result.profile) continue;
    const OpCeilings ceilings =
        result.ceilings ? OpCeilings{result.ceilings->stream_gbps, result.ceilings->int8_gops} : OpCeilings{};
    text += "\n" + test_name(result) + ", " + std::to_string(result.threads) + " threads:\n\n" +
            op_table(*result.profile, ceilings);
  }
  return text;
}

std::string bench_json(const BenchModel& model, const std::vector<BenchResult>& results) {
  JsonWriter json;
  json.begin_array();
  for (const BenchResult& result : results) write_result(model, result, &json);
  json.end_array();
  return json.text() + "\n";
}

std::string bench_csv(const BenchModel& model, const std::vector<BenchResult>& results) {
  std::string text =
      "model_filename,model_type,model_size,model_n_params,backends,n_threads,n_prompt,n_gen,n_depth,avg_ns,stddev_ns,"
      "avg_ts,stddev_ts,stream_percent,int8_percent,int8_peak_name,amx_int8_percent\n";
  const auto quoted = [](const std::string& field) {
    std::string out = "\"";
    for (char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  for (const BenchResult& r : results) {
    const MeanAndDeviation time = mean_and_deviation(in_ns(r.samples_us));
    const MeanAndDeviation speed = mean_and_deviation(r.samples_tokens_per_second());
    const BenchShares shares = r.shares();
    text += quoted(model.file) + "," + quoted(model.type) + "," + std::to_string(model.size_bytes) + "," +
            std::to_string(model.parameters) + "," + quoted(model.backend) + "," + std::to_string(r.threads) + "," +
            std::to_string(r.n_prompt) + "," + std::to_string(r.n_gen) + "," + std::to_string(r.n_depth) + "," +
            format("%.0f", time.mean) + "," + format("%.0f", time.deviation) + "," + format("%.6f", speed.mean) + "," +
            format("%.6f", speed.deviation) + "," + share_text(shares.stream) + "," + share_text(shares.int8) + "," +
            (r.ceilings ? r.ceilings->int8_name : "") + "," + share_text(shares.amx) + "\n";
  }
  return text;
}

}  // namespace tribar::app
