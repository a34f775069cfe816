#include "engine/evaluator.h"

#include <algorithm>
#include <string>

namespace tribar::engine {

Evaluator::Evaluator(LoadedModel* model, Options options) : model_(model), options_(options) {
  if (options_.chunk_tokens == 0) options_.chunk_tokens = model->max_step_tokens;
  ids_.reserve(static_cast<size_t>(model->context_tokens));
  rows_.reserve(static_cast<size_t>(model->max_logit_rows));
}

Evaluator::~Evaluator() { reset(); }

void Evaluator::reset() {
  model_->kv_allocator->release(&table_);
  ids_.clear();
  computed_ = 0;
}

Status Evaluator::append(std::span<const int32_t> ids, WantLogits want, const Sink& sink) {
  TRIBAR_RETURN_IF_ERROR(check(ids));
  if (ids.empty()) return {};
  const int64_t before = length();
  const int64_t computed_before = computed_;
  const int64_t total = before + static_cast<int64_t>(ids.size());
  TRIBAR_RETURN_IF_ERROR(model_->kv_allocator->grow(&table_, total));
  ids_.insert(ids_.end(), ids.begin(), ids.end());

  // Keys of the short rope factors cannot stand beside keys of the long ones.
  const int64_t limit = model_->info.recompute_length;
  const bool crosses = limit > 0 && before <= limit && total > limit;
  if (crosses) computed_ = 0;
  const int64_t first_wanted = want == WantLogits::kAll ? before : want == WantLogits::kLast ? total - 1 : total;
  Status status = compute(first_wanted, sink);
  if (!status.ok()) {
    ids_.resize(static_cast<size_t>(before));
    computed_ = crosses ? 0 : computed_before;  // after a crossing the cache holds keys of the long factors
  }
  return status;
}

Status Evaluator::check(std::span<const int32_t> ids) const {
  if (options_.chunk_tokens < 1 || options_.chunk_tokens > model_->max_step_tokens) {
    return invalid_argument("chunks of " + std::to_string(options_.chunk_tokens) +
                            " tokens: the model was loaded for 1 to " + std::to_string(model_->max_step_tokens));
  }
  const int64_t total = length() + static_cast<int64_t>(ids.size());
  if (total > model_->context_tokens) {
    return invalid_argument(std::to_string(total) + " tokens do not fit in a context of " +
                            std::to_string(model_->context_tokens) + "; --ctx N makes it larger");
  }
  for (const int32_t id : ids) {
    if (id < 0 || id >= model_->info.vocab_size) {
      return invalid_argument("token id " + std::to_string(id) + " is outside the vocabulary of " +
                              std::to_string(model_->info.vocab_size));
    }
  }
  return {};
}

// Brings the cache up to ids_, a chunk at a time, and shows the logits of positions from `first_wanted` on.
Status Evaluator::compute(int64_t first_wanted, const Sink& sink) {
  const int64_t total = length();
  while (computed_ < total) {
    const int64_t begin = computed_;
    int64_t end = std::min(begin + options_.chunk_tokens, total);
    end = std::min(end, std::max(begin, first_wanted) + model_->max_logit_rows);
    rows_.clear();
    for (int64_t p = std::max(begin, first_wanted); p < end; ++p) rows_.push_back(static_cast<int32_t>(p - begin));

    const runtime::SequenceSlice slice{begin, end - begin, table_.blocks, total};
    const std::span<const int32_t> ids =
        std::span(ids_).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    TRIBAR_ASSIGN_OR_RETURN(const runtime::Logits logits, model_->executor->run({ids, {&slice, 1}, rows_}));
    computed_ = end;
    for (size_t r = 0; r < rows_.size(); ++r) sink(begin + rows_[r], logits.row(static_cast<int64_t>(r)));
  }
  return {};
}

}  // namespace tribar::engine
