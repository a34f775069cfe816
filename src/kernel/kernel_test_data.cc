#include "kernel/kernel_test_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "tensor/quant/quant.h"

namespace tribar::kernel {
namespace {

constexpr int64_t kGapBytes = 64;
constexpr std::byte kGap{0xff};  // four of them are a NaN

int64_t content_bytes(DType dtype, int64_t cols) {
  return dtype == DType::kQ8Act ? act_q8::row_stride_bytes(cols) : cols * static_cast<int64_t>(sizeof(float));
}

}  // namespace

Matrix::Matrix(int64_t rows, int64_t cols, DType dtype) {
  const int64_t stride_bytes = (content_bytes(dtype, cols) + kGapBytes + 63) / 64 * 64;
  Result<AlignedBuffer> buffer = AlignedBuffer::allocate(static_cast<size_t>(rows * stride_bytes + 64));
  TRIBAR_CHECK(buffer.ok());
  buffer_ = std::move(*buffer);
  std::memset(buffer_.data(), static_cast<int>(kGap), buffer_.size());
  view_ = {buffer_.data(), dtype, rows, cols, stride_bytes};
}

TensorView Matrix::columns(int64_t begin, int64_t end) const {
  return {view_.f32(0) + begin, view_.dtype, view_.rows, end - begin, view_.stride_bytes};
}

TensorView Matrix::rows(int64_t begin, int64_t end) const {
  return {view_.row<std::byte>(begin), view_.dtype, end - begin, view_.cols, view_.stride_bytes};
}

bool Matrix::gaps_untouched() const {
  for (int64_t r = 0; r < view_.rows; ++r) {
    for (int64_t i = content_bytes(view_.dtype, view_.cols); i < view_.stride_bytes; ++i) {
      if (view_.row<std::byte>(r)[i] != kGap) return false;
    }
  }
  return true;
}

Matrix random_matrix(int64_t rows, int64_t cols, uint32_t seed, float deviation) {
  Matrix x(rows, cols);
  std::mt19937 rng(seed);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      // Four uniform bytes add up to a bell of deviation 148; a fifth of the time of std::normal_distribution.
      const uint32_t bits = rng();
      const int sum = static_cast<int>((bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24)) - 510;
      const float value = (static_cast<float>(sum) + static_cast<float>(bits % 997) / 997.0f) * (deviation / 148.0f);
      x.at(r, c) = bits % 61 == 0 ? 8.0f * value : value;
    }
  }
  return x;
}

TestWeight random_weight(DType dtype, int64_t rows, int64_t cols, uint32_t seed) {
  const auto stride_bytes = static_cast<size_t>(row_bytes(dtype, cols).value());
  TestWeight weight;
  weight.bytes.resize(static_cast<size_t>(rows) * stride_bytes);
  const Matrix values = random_matrix(rows, cols, seed, 0.05f);
  for (int64_t r = 0; r < rows; ++r) {
    quant::quantize_row(dtype, values.view().f32(r), weight.bytes.data() + static_cast<size_t>(r) * stride_bytes, cols);
  }
  weight.view = {weight.bytes.data(), dtype, rows, cols};
  return weight;
}

PreparedWeight::PreparedWeight(const LinearKernel& kernel, const TestWeight& source, int shards) : view_(source.view) {
  if (kernel.panel_rows == 0) return;
  const int64_t bytes = kernel.packed_bytes(source.view.rows, source.view.cols);
  Result<AlignedBuffer> packed = AlignedBuffer::allocate(static_cast<size_t>(bytes));
  TRIBAR_CHECK(packed.ok());
  packed_ = std::move(*packed);
  for (int i = 0; i < shards; ++i) kernel.pack(source.view, packed_.data(), Shard{i, shards});
  view_.data = packed_.data();
}

Matrix quantized(Isa isa, const Matrix& x) {
  Matrix y(x.view().rows, x.view().cols, DType::kQ8Act);
  run_sharded(kernel_table(isa).quantize, {x.view(), y.view()}, 1);
  return y;
}

float max_error(const TensorView& a, const TensorView& b) {
  float largest = 0.0f;
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < a.cols; ++c) {
      const float x = a.f32(r)[c];
      const float y = b.f32(r)[c];
      if (std::isnan(x) != std::isnan(y)) return std::numeric_limits<float>::infinity();
      if (x != y) largest = std::max(largest, std::fabs(x - y));
    }
  }
  return largest;
}

float max_relative_error(const TensorView& a, const TensorView& b, float floor) {
  float largest = 0.0f;
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < a.cols; ++c) {
      const float x = a.f32(r)[c];
      const float y = b.f32(r)[c];
      if (std::isnan(x) != std::isnan(y)) return std::numeric_limits<float>::infinity();
      if (x != y) largest = std::max(largest, std::fabs(x - y) / std::max(std::fabs(y), floor));
    }
  }
  return largest;
}

float root_mean_square(const TensorView& a) {
  double sum = 0.0;
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < a.cols; ++c) sum += static_cast<double>(a.f32(r)[c]) * a.f32(r)[c];
  }
  return static_cast<float>(std::sqrt(sum / static_cast<double>(a.rows * a.cols)));
}

bool bit_equal(const TensorView& a, const TensorView& b) {
  const auto bytes = static_cast<size_t>(content_bytes(a.dtype, a.cols));
  for (int64_t r = 0; r < a.rows; ++r) {
    if (std::memcmp(a.row<std::byte>(r), b.row<std::byte>(r), bytes) != 0) return false;
  }
  return true;
}

}  // namespace tribar::kernel
