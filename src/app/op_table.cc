#include "app/op_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace tribar::app {
namespace {

constexpr int kDigits = 9;

// Bytes and operations of a kind of operator in all runs.
double bytes(const runtime::OpProfile& profile, const runtime::OpTime& op) {
  return static_cast<double>(op.weight_bytes) * static_cast<double>(profile.runs);
}
double operations(const runtime::OpProfile& profile, const runtime::OpTime& op) {
  const int64_t rows = op.rows == graph::RowSymbol::kTokens ? profile.tokens : profile.logit_rows;
  return 2.0 * static_cast<double>(op.macs_per_row) * static_cast<double>(rows);
}

double in_plan_us(const runtime::OpProfile& profile) {
  double us = 0;
  for (const runtime::OpTime& op : profile.ops) us += op.busy_us + op.wait_us;
  return us;
}

std::string with_share(double value, double ceiling) {
  std::array<char, 48> text;
  if (ceiling > 0) {
    std::snprintf(text.data(), text.size(), "%.1f (%.0f %%)", value, 100 * value / ceiling);
  } else {
    std::snprintf(text.data(), text.size(), "%.1f", value);
  }
  return text.data();
}

class Table {
 public:
  Table(const runtime::OpProfile& profile, const OpCeilings& ceilings) : profile_(profile), ceilings_(ceilings) {
    text_ =
        "| operator                               | calls |   ms/run |     % | of it waiting |  weights GB/s |"
        "         GOP/s |\n"
        "| -------------------------------------- | ----: | -------: | ----: | ------------: | ------------: |"
        " ------------: |\n";
  }

  void add(const runtime::OpTime& op) {
    const double seconds = op.busy_us * 1e-6;
    const bool linear = op.macs_per_row > 0 && seconds > 0;
    line(op.detail.empty() ? op.op : op.op + " " + op.detail, std::to_string(op.calls), op.busy_us + op.wait_us,
         op.wait_us, linear ? with_share(1e-9 * bytes(profile_, op) / seconds, ceilings_.stream_gbps) : "",
         linear ? with_share(1e-9 * operations(profile_, op) / seconds, ceilings_.int8_gops) : "");
  }
  void add_total(const std::string& name, double us) { line(name, "", us, -1, "", ""); }

  const std::string& text() const { return text_; }

 private:
  void line(const std::string& name, const std::string& calls, double us, double wait_us, const std::string& gbps,
            const std::string& gops) {
    std::array<char, 256> text;
    std::array<char, 32> wait{};
    const auto runs = static_cast<double>(profile_.runs);
    if (wait_us >= 0) std::snprintf(wait.data(), wait.size(), "%.3f", wait_us / runs * 1e-3);
    std::snprintf(text.data(), text.size(), "| %-38s | %5s | %8.3f | %5.1f | %13s | %13s | %13s |\n", name.c_str(),
                  calls.c_str(), us / runs * 1e-3, 100 * us / profile_.wall_us, wait.data(), gbps.c_str(),
                  gops.c_str());
    text_ += text.data();
  }

  const runtime::OpProfile& profile_;
  const OpCeilings& ceilings_;
  std::string text_;
};

}  // namespace

std::string op_table(const runtime::OpProfile& profile, const OpCeilings& ceilings) {
  if (profile.runs == 0) return "no operator was timed\n";
  std::vector<runtime::OpTime> ops = profile.ops;
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.busy_us + a.wait_us > b.busy_us + b.wait_us; });
  Table table(profile, ceilings);
  for (const runtime::OpTime& op : ops) table.add(op);
  table.add_total("start, end and check of the logits", profile.wall_us - in_plan_us(profile));
  table.add_total("whole step", profile.wall_us);
  return table.text();
}

void write_op_profile(const runtime::OpProfile& profile, JsonWriter* json) {
  json->key("ops").begin_object().key("runs").integer(profile.runs).key("tokens").integer(profile.tokens);
  json->key("logit_rows").integer(profile.logit_rows).key("wall_us").number(profile.wall_us, kDigits);
  json->key("other_us").number(profile.wall_us - in_plan_us(profile), kDigits).key("by_kind").begin_array();
  for (const runtime::OpTime& op : profile.ops) {
    json->begin_object().key("op").string(op.op).key("detail").string(op.detail).key("calls").integer(op.calls);
    json->key("busy_us").number(op.busy_us, kDigits).key("wait_us").number(op.wait_us, kDigits);
    json->key("weight_bytes").number(bytes(profile, op), kDigits);
    json->key("operations").number(operations(profile, op), kDigits).end_object();
  }
  json->end_array().end_object();
}

}  // namespace tribar::app
