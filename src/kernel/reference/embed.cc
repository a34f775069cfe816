#include "kernel/reference/reference.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel::reference {
namespace {

void unpack_file_row(const WeightView& table, int64_t row, float* y) {
  quant::dequantize_row(table.dtype, table.data + row * *row_bytes(table.dtype, table.cols), y, table.cols);
}

}  // namespace

void embed(const EmbedArgs& args, Shard shard) {
  const UnpackRow unpack_row = args.unpack_row != nullptr ? args.unpack_row : unpack_file_row;
  const auto [begin, end] = shard.range(args.y.rows);
  for (int64_t t = begin; t < end; ++t) {
    float* y = args.y.f32(t);
    unpack_row(args.table, args.ids[t], y);
    for (int64_t c = 0; c < args.table.cols; ++c) y[c] *= args.scale;
  }
}

}  // namespace tribar::kernel::reference
