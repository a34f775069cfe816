#include "kernel/reference/reference.h"
#include "kernel/scratch.h"
#include "tensor/act_q8.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel::reference {
namespace {

// x[k] of token t, whatever the type of the activations.
double activation_value(const TensorView& x, int64_t t, int64_t k) {
  if (x.dtype == DType::kF32) return x.f32(t)[k];
  const std::byte* row = x.row<std::byte>(t);
  const auto* q = reinterpret_cast<const int8_t*>(row);
  const auto* scale = reinterpret_cast<const float*>(row + act_q8::scale_offset_bytes(x.cols));
  return static_cast<double>(scale[k / act_q8::kGroup]) * q[k];
}

}  // namespace

void linear(const LinearArgs& args, Shard shard) {
  const WeightView& w = args.w;
  const int64_t row_stride_bytes = *row_bytes(w.dtype, w.cols);
  float* weights = thread_scratch<float>(w.cols);
  const auto [begin, end] = shard.range(w.rows);
  for (int64_t n = begin; n < end; ++n) {
    quant::dequantize_row(w.dtype, w.data + n * row_stride_bytes, weights, w.cols);
    for (int64_t t = 0; t < args.x.rows; ++t) {
      double sum = args.bias != nullptr ? args.bias[n] : 0.0;
      for (int64_t k = 0; k < w.cols; ++k) sum += activation_value(args.x, t, k) * weights[k];
      args.y.f32(t)[n] = static_cast<float>(sum);
    }
  }
}

}  // namespace tribar::kernel::reference
