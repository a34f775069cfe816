// What the kernel tests share: deterministic activations and weights, every ISA of this machine, running a kernel in
// shards.
//
//   for (Isa isa : tested_isas()) {
//     Matrix x = random_matrix(7, 96, 1), y(7, 96), expected(7, 96);
//     run_sharded(kernel_table(Isa::kReference).softcap, {x.view(), 30.0f, expected.view()}, 1);
//     run_sharded(kernel_table(isa).softcap, {x.view(), 30.0f, y.view()}, 3);
//     EXPECT_LE(max_error(y, expected), 1e-6f) << isa_name(isa);
//   }
//
// Matrices have room between rows filled with NaN, so that a kernel that reads or writes across a row's end is caught.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/cpu_features.h"
#include "kernel/table.h"
#include "tensor/act_q8.h"
#include "tensor/view.h"

namespace tribar::kernel {

// Every kernel set of this machine but the reference.
inline std::vector<Isa> tested_isas() {
  std::vector<Isa> isas;
  for (Isa isa : kAllIsas) {
    if (isa != Isa::kReference && isa_supported(isa)) isas.push_back(isa);
  }
  return isas;
}

// An owned activation matrix, F32 or Q8Act.
class Matrix {
 public:
  Matrix(int64_t rows, int64_t cols, DType dtype = DType::kF32);

  const TensorView& view() const { return view_; }
  // Columns [begin, end) as a view with the same stride.
  TensorView columns(int64_t begin, int64_t end) const;
  // Rows [begin, end).
  TensorView rows(int64_t begin, int64_t end) const;
  float& at(int64_t r, int64_t c) { return view_.f32(r)[c]; }
  float at(int64_t r, int64_t c) const { return view_.f32(r)[c]; }
  // True when nothing was written between the rows.
  bool gaps_untouched() const;

 private:
  AlignedBuffer buffer_;
  TensorView view_;
};

// Normally distributed, with a few larger values, as hidden states have.
Matrix random_matrix(int64_t rows, int64_t cols, uint32_t seed, float deviation = 1.0f);

// An owned weight matrix in file form.
struct TestWeight {
  std::vector<std::byte> bytes;
  WeightView view;
};
TestWeight random_weight(DType dtype, int64_t rows, int64_t cols, uint32_t seed);

// A weight in the form its kernel reads: packed when the kernel wants that.
class PreparedWeight {
 public:
  PreparedWeight(const LinearKernel& kernel, const TestWeight& source, int shards = 1);
  const WeightView& view() const { return view_; }

 private:
  AlignedBuffer packed_;
  WeightView view_;
};

Matrix quantized(Isa isa, const Matrix& x);

// Calls every shard in turn: what a team of `shards` threads computes, if the shards are independent as they must be.
template <typename Args>
void run_sharded(KernelFn<Args> kernel, const Args& args, int shards) {
  for (int i = 0; i < shards; ++i) kernel(args, Shard{i, shards});
}

// Largest |a - b| over the matrix, infinity if one is NaN where the other is not.
float max_error(const TensorView& a, const TensorView& b);
// Largest |a - b| / max(|b|, floor).
float max_relative_error(const TensorView& a, const TensorView& b, float floor);
float root_mean_square(const TensorView& a);
bool bit_equal(const TensorView& a, const TensorView& b);

}  // namespace tribar::kernel
