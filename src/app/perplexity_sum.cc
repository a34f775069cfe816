#include <algorithm>
#include <cmath>

#include "app/perplexity.h"

namespace tribar::app {

double negative_log_likelihood(std::span<const float> logits, int32_t token) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(logit - largest);
  return std::log(sum) + largest - logits[static_cast<size_t>(token)];
}

void PerplexitySum::add(double nll) {
  ++count_;
  sum_ += nll;
  sum_of_squares_ += nll * nll;
}

double PerplexitySum::perplexity() const { return std::exp(sum_ / static_cast<double>(count_)); }

double PerplexitySum::standard_error() const {
  if (count_ < 2) return 0;
  const auto n = static_cast<double>(count_);
  const double variance = std::max(0.0, sum_of_squares_ / n - (sum_ / n) * (sum_ / n));
  return std::sqrt(variance / (n - 1)) * perplexity();
}

}  // namespace tribar::app
