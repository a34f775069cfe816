// The arithmetic of `tribar perplexity`, apart from the model that it is applied to.
//
// ppl = exp(mean over scored tokens of -log softmax(logits)[next token]); its standard error is that of the mean, times
// ppl. Scored are, in each window of `ctx` tokens, the predictions at positions ctx/2 .. ctx-2 (cases/text/ppl.json,
// "method"; the same as llama-perplexity).
#pragma once

#include <cstdint>
#include <span>

namespace tribar::app {

// -log softmax(logits)[token], in double.
double negative_log_likelihood(std::span<const float> logits, int32_t token);

class PerplexitySum {
 public:
  void add(double nll);
  int64_t count() const { return count_; }
  double perplexity() const;
  // 0 for fewer than two tokens.
  double standard_error() const;

 private:
  int64_t count_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

// Positions [first_scored, ctx - 1) of a window are scored.
inline int64_t first_scored(int64_t ctx) { return ctx / 2; }

}  // namespace tribar::app
