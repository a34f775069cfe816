#include "kernel/reference/reference.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel::reference {

void embed(const EmbedArgs& args, Shard shard) {
  const WeightView& table = args.table;
  const int64_t row_stride_bytes = *row_bytes(table.dtype, table.cols);
  const auto [begin, end] = shard.range(args.y.rows);
  for (int64_t t = begin; t < end; ++t) {
    float* y = args.y.f32(t);
    quant::dequantize_row(table.dtype, table.data + args.ids[t] * row_stride_bytes, y, table.cols);
    for (int64_t c = 0; c < table.cols; ++c) y[c] *= args.scale;
  }
}

}  // namespace tribar::kernel::reference
