#include "runtime/logits_check.h"

#include <cstdint>

namespace tribar::runtime {

void LogitsCheck::run(const TensorView& logits, Shard shard) {
  constexpr uint32_t kExponent = 0x7f800000u;
  const auto [begin, end] = shard.range(logits.cols, 64);
  uint32_t damaged = 0;  // no branch inside, so that the compiler vectorises
  for (int64_t r = 0; r < logits.rows; ++r) {
    const uint32_t* row = logits.row<uint32_t>(r);
    for (int64_t c = begin; c < end; ++c) damaged |= static_cast<uint32_t>((row[c] & kExponent) == kExponent);
  }
  if (damaged != 0) damaged_.store(true, std::memory_order_relaxed);
}

Status LogitsCheck::status() const {
  if (!damaged_.load(std::memory_order_relaxed)) return {};
  return data_loss("the model computes logits that are not numbers: its weights are damaged");
}

}  // namespace tribar::runtime
