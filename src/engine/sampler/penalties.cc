#include "engine/sampler/steps.h"

namespace tribar::engine {

void apply_penalties(const SamplingParams& params, const TokenHistory& history, AdjustedLogits* logits) {
  if (!params.penalises()) return;
  for (const TokenHistory::Entry& entry : history.entries()) {
    double& logit = logits->at(entry.id);
    if (logit > 0) {
      logit /= params.repetition_penalty;
    } else {
      logit *= params.repetition_penalty;
    }
    if (entry.output_count == 0) continue;
    logit -= params.frequency_penalty * static_cast<double>(entry.output_count);
    logit -= params.presence_penalty;
  }
}

}  // namespace tribar::engine
