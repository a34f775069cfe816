#include "engine/sampler/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/sampler/adjusted_logits.h"
#include "engine/sampler/logit_scan.h"
#include "engine/sampler/philox.h"
#include "engine/sampler/steps.h"

namespace tribar::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The filters, in order.
using Filter = void (*)(const SamplingParams&, Candidates*);
constexpr Filter kFilters[] = {apply_temperature, apply_min_p, apply_top_k, apply_top_p, apply_typical};

// A logit below this is dropped by min_p or top_k whatever the rest of the row is, so it need not become a candidate.
// The margin of a millionth covers the rounding of the division by the temperature; the filters decide exactly.
double candidate_bound(const SamplingParams& params, double largest, std::vector<float>* block_max) {
  double bound = -kInfinity;
  if (params.min_p > 0) {
    const double lowest = largest + params.temperature * std::log(params.min_p);
    bound = lowest - 1e-6 * (1 + std::fabs(largest) + std::fabs(lowest));
  }
  if (params.top_k > 0) bound = std::max(bound, static_cast<double>(kth_largest_bound(block_max, params.top_k)));
  return bound;
}

int32_t draw(const Candidates& candidates, double u) {
  double left = u * candidates.total_weight();
  int32_t last = candidates.items().front().id;
  for (const Candidate& c : candidates.items()) {
    if (c.weight <= 0) continue;
    last = c.id;
    left -= c.weight;
    if (left < 0) break;
  }
  return last;
}

}  // namespace

Sampler::Sampler(SamplingParams params, std::span<const int32_t> prompt_ids)
    : params_(std::move(params)), history_(params_.penalises() ? TokenHistory(prompt_ids) : TokenHistory()) {}

void Sampler::accept(int32_t token) {
  ++output_tokens_;
  if (params_.penalises()) history_.append(token);
}

Result<int32_t> Sampler::sample(std::span<const float> logits) {
  TRIBAR_ASSIGN_OR_RETURN(const Candidates* candidates, distribution(logits));
  const int32_t token = draw(*candidates, uniform(params_.seed, output_tokens_));
  accept(token);
  return token;
}

Result<const Candidates*> Sampler::distribution(std::span<const float> logits) {
  TRIBAR_RETURN_IF_ERROR(collect(logits));
  if (params_.greedy()) {
    // Ids ascend, so the first of the largest has the lowest id.
    std::vector<Candidate>& items = candidates_.items();
    const Candidate best = *std::max_element(items.begin(), items.end(),
                                             [](const Candidate& a, const Candidate& b) { return a.logit < b.logit; });
    items = {{best.id, 0, 0}};
  } else {
    for (Filter filter : kFilters) filter(params_, &candidates_);
  }
  candidates_.weigh();
  return &candidates_;
}

// Fills candidates_ with every token that can still win. Adjusted logits are exact doubles; the others stay floats and
// are passed over at vector speed.
Status Sampler::collect(std::span<const float> logits) {
  AdjustedLogits adjusted_logits(logits);
  apply_logit_bias(params_, &adjusted_logits);
  apply_penalties(params_, history_, &adjusted_logits);
  const std::vector<Candidate> adjusted = adjusted_logits.sorted();

  std::span<const float> row = logits;
  if (!adjusted.empty()) {
    masked_.assign(logits.begin(), logits.end());
    for (const Candidate& c : adjusted) {
      // A broken logit must stay visible to the scan.
      if (std::isfinite(c.logit)) masked_[static_cast<size_t>(c.id)] = -kInfinity;
    }
    row = masked_;
  }
  const LogitScan scan = scan_logits(row, &block_max_);
  if (!scan.valid) return data_loss("the model produced logits that are not finite numbers");
  double largest = row[static_cast<size_t>(scan.best)];
  for (const Candidate& c : adjusted) largest = std::max(largest, c.logit);
  if (largest == kInfinity) return invalid_argument("a penalty makes a logit infinite");
  if (largest == -kInfinity) return data_loss("no token can be chosen: every logit is minus infinity");

  std::vector<Candidate>& items = candidates_.items();
  candidates_.clear();
  const double bound = params_.greedy() ? largest : candidate_bound(params_, largest, &block_max_);
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] >= bound && row[i] > -kInfinity) items.push_back({static_cast<int32_t>(i), row[i], 0});
  }
  const auto middle = static_cast<std::ptrdiff_t>(items.size());
  for (const Candidate& c : adjusted) {
    if (c.logit >= bound && c.logit > -kInfinity) items.push_back(c);
  }
  std::inplace_merge(items.begin(), items.begin() + middle, items.end(),
                     [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
  return {};
}

}  // namespace tribar::engine
