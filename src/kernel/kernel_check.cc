#include "kernel/kernel_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/kernel_check_attention.h"
#include "kernel/kernel_test_data.h"
#include "kernel/linear_types.h"

namespace tribar::kernel {
namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kTokens = 5;
constexpr int kShards = 2;

// Against the reference's y; infinite where something was written between the rows. Values below `floor` count with
// their absolute error.
double relative_error(const Matrix& y, const Matrix& expected, float floor) {
  return y.gaps_untouched() ? max_relative_error(y.view(), expected.view(), floor) : kInfinity;
}

double absolute_error(const Matrix& y, const Matrix& expected) {
  return y.gaps_untouched() ? max_error(y.view(), expected.view()) : kInfinity;
}

// Runs `call(table, y)` with the table under test and with the reference, for some widths, and keeps the worst.
class TableCheck {
 public:
  TableCheck(Isa isa, const KernelTable& table) : isa_(isa), table_(table) {}

  template <typename Call>
  void relative(const char* name, double tolerance, float floor, Call call) {
    double worst = 0;
    for (int64_t cols : {1, 37, 64, 257}) {
      Matrix y(kTokens, cols);
      Matrix expected(kTokens, cols);
      call(table_, cols, y.view());
      call(kernel_table(Isa::kReference), cols, expected.view());
      worst = std::max(worst, relative_error(y, expected, floor));
    }
    add(name, "relative", worst, tolerance);
  }

  void add(const char* name, const char* unit, double error, double tolerance) {
    checks_.push_back({isa_, name, unit, error, tolerance});
  }

  const KernelTable& table() const { return table_; }
  std::vector<KernelCheck> take() { return std::move(checks_); }

 private:
  Isa isa_;
  const KernelTable& table_;
  std::vector<KernelCheck> checks_;
};

void check_elementwise(TableCheck* check) {
  const Matrix a = random_matrix(kTokens, 257, 1, 3.0f);
  const Matrix b = random_matrix(kTokens, 257, 2);
  check->relative("add", kEpsilon, 8.0f, [&](const KernelTable& t, int64_t cols, const TensorView& y) {
    run_sharded(t.add, {a.columns(0, cols), b.columns(0, cols), 0.22f, y}, kShards);
  });
  check->relative("scale", 0, 1e-30f, [&](const KernelTable& t, int64_t cols, const TensorView& y) {
    run_sharded(t.scale, {a.columns(0, cols), -1.7f, y}, kShards);
  });
  check->relative("softcap", 4 * kEpsilon, 1e-30f, [&](const KernelTable& t, int64_t cols, const TensorView& y) {
    run_sharded(t.softcap, {a.columns(0, cols), 30.0f, y}, kShards);
  });
  // The argument of the exponential is rounded before it is taken: an error in proportion to |x|.
  constexpr Activation kActivations[] = {Activation::kSilu, Activation::kGeluTanh, Activation::kGeluErf,
                                         Activation::kRelu, Activation::kReluSquared};
  const auto activations = [&](const KernelTable& t, int64_t cols, const TensorView& y, auto call) {
    const int64_t part = std::max<int64_t>(1, cols / 5);
    for (int64_t begin = 0, i = 0; begin < cols; begin += part, ++i) {
      const int64_t end = std::min(cols, begin + part);
      const TensorView out{y.f32(0) + begin, y.dtype, y.rows, end - begin, y.stride_bytes};
      call(t, kActivations[i % 5], begin, end, out);
    }
  };
  check->relative("activate", 8 * kEpsilon, 1.0f, [&](const KernelTable& table, int64_t cols, const TensorView& y) {
    activations(table, cols, y, [&](const KernelTable& t, Activation f, int64_t begin, int64_t end, TensorView out) {
      run_sharded(t.activate, {a.columns(begin, end), f, out}, kShards);
    });
  });
  check->relative("glu", 20 * kEpsilon, 8.0f, [&](const KernelTable& table, int64_t cols, const TensorView& y) {
    activations(table, cols, y, [&](const KernelTable& t, Activation f, int64_t begin, int64_t end, TensorView out) {
      run_sharded(t.glu, {a.columns(begin, end), b.columns(begin, end), f, out}, kShards);
    });
  });
}

void check_norms(TableCheck* check) {
  const Matrix x = random_matrix(kTokens, 257, 3);
  const Matrix w = random_matrix(1, 257, 4);
  const Matrix bias = random_matrix(1, 257, 5);
  const double tolerance = kEpsilon * (3 + 257 / 32.0);  // a mean of 257 squares, in several chains
  check->relative("rms_norm", tolerance, 1e-3f, [&](const KernelTable& t, int64_t cols, const TensorView& y) {
    run_sharded(t.rms_norm, {x.columns(0, cols), w.view().f32(0), 1.0f, 1e-6f, 1, y}, kShards);
  });
  check->relative("layer_norm", tolerance, 100.0f, [&](const KernelTable& t, int64_t cols, const TensorView& y) {
    run_sharded(t.layer_norm, {x.columns(0, cols), w.view().f32(0), bias.view().f32(0), 1e-5f, y}, kShards);
  });
}

// Rows of act_q8 have the same bytes everywhere; what stands after the sums has no meaning.
void check_quantize(TableCheck* check) {
  double differing = 0;
  for (int64_t cols : {1, 33, 256, 300}) {
    const Matrix x = random_matrix(kTokens, cols, 6);
    Matrix y(kTokens, cols, DType::kQ8Act);
    run_sharded(check->table().quantize, {x.view(), y.view()}, kShards);
    const Matrix expected = quantized(Isa::kReference, x);
    const int64_t bytes = act_q8::sum_offset_bytes(cols) + act_q8::padded_cols(cols) / act_q8::kSumGroup * 2;
    for (int64_t r = 0; r < kTokens; ++r) {
      const auto* row = y.view().row<uint8_t>(r);
      const auto* wanted = expected.view().row<uint8_t>(r);
      for (int64_t i = 0; i < bytes; ++i) differing += row[i] != wanted[i] ? 1 : 0;
    }
    if (!y.gaps_untouched()) differing = kInfinity;
  }
  check->add("quantize", "bytes that differ", differing, 0);
}

void check_rows(TableCheck* check) {
  const std::vector<int32_t> rows = {8, 0, 3, 3, 7};
  constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kQ4_0, DType::kQ4_K, DType::kQ6_K};
  double worst = 0;
  for (DType type : kTypes) {
    const TestWeight table = random_weight(type, 9, 256, 7);
    const auto embed = [&](const KernelTable& t, Matrix* y) {
      run_sharded(t.embed, {rows.data(), table.view, 1.5f, y->view()}, kShards);
    };
    Matrix y(kTokens, 256);
    Matrix expected(kTokens, 256);
    embed(check->table(), &y);
    embed(kernel_table(Isa::kReference), &expected);
    worst = std::max(worst, relative_error(y, expected, 1e-30f));
  }
  check->add("embed", "relative", worst, kEpsilon);
  const Matrix x = random_matrix(9, 257, 8);
  check->relative("gather_rows", 0, 1e-30f, [&](const KernelTable& t, int64_t cols, const TensorView& y) {
    run_sharded(t.gather_rows, {x.columns(0, cols), rows.data(), y}, kShards);
  });
}

void check_rope(TableCheck* check) {
  constexpr int64_t kRotDim = 34;
  constexpr int64_t kHeadDim = 40;  // a part that is only copied
  std::vector<float> frequencies;
  for (int i = 0; i < kRotDim / 2; ++i)
    frequencies.push_back(static_cast<float>(std::pow(10000.0, -2.0 * i / kRotDim)));
  const std::vector<int32_t> positions = {0, 17, 4000, 1, 2};
  const auto make_table = [&](const KernelTable& t) {
    Matrix angles(kTokens, kRotDim);
    RopeTableArgs args{.positions = positions.data(), .inv_freq = frequencies, .y = angles.view()};
    run_sharded(t.rope_table, args, kShards);
    return angles;
  };
  const Matrix angles = make_table(kernel_table(Isa::kReference));
  check->add("rope_table", "absolute", absolute_error(make_table(check->table()), angles), 4e-7);

  const Matrix x = random_matrix(kTokens, 3 * kHeadDim, 9);
  double worst = 0;
  for (RopePairing pairing : {RopePairing::kHalves, RopePairing::kAdjacent}) {
    const auto rotate = [&](const KernelTable& t, Matrix* y) {
      run_sharded(t.rope, {x.view(), angles.view(), 3, kHeadDim, pairing, y->view()}, kShards);
    };
    Matrix y(kTokens, 3 * kHeadDim);
    Matrix expected(kTokens, 3 * kHeadDim);
    rotate(check->table(), &y);
    rotate(kernel_table(Isa::kReference), &expected);
    worst = std::max(worst, absolute_error(y, expected));
  }
  // Two products of values up to 30, one rounding each.
  check->add("rope", "absolute", worst, 60 * kEpsilon);
}

// The error of an fp32 sum of n products grows like √n · ε/2 times Σ|x||w| ≤ |x| |w|; factor four for the rest.
double linear_tolerance(const Matrix& x, double largest_row_norm) {
  const auto n = static_cast<double>(x.view().cols);
  const double x_norm = root_mean_square(x.view()) * std::sqrt(n * static_cast<double>(x.view().rows));
  return 2.0 * kEpsilon * std::sqrt(n) * largest_row_norm * x_norm + 16 * kEpsilon;
}

// Norm of a weight's longest row, by the reference kernel: the row times a unit vector is an element.
double largest_row_norm(const LinearKernel& exact, const TestWeight& w) {
  const int64_t cols = w.view.cols;
  Matrix unit(cols, cols);
  for (int64_t r = 0; r < cols; ++r) {
    for (int64_t c = 0; c < cols; ++c) unit.at(r, c) = r == c ? 1.0f : 0.0f;
  }
  Matrix elements(cols, w.view.rows);
  run_sharded(exact.run, {unit.view(), w.view, nullptr, elements.view()}, 1);
  double largest = 0;
  for (int64_t row = 0; row < w.view.rows; ++row) {
    double squares = 0;
    for (int64_t c = 0; c < cols; ++c) squares += static_cast<double>(elements.at(c, row)) * elements.at(c, row);
    largest = std::max(largest, std::sqrt(squares));
  }
  return largest;
}

}  // namespace

std::vector<KernelCheck> check_table(Isa isa, const KernelTable& table) {
  TableCheck check(isa, table);
  check_rows(&check);
  check_quantize(&check);
  check_norms(&check);
  check_elementwise(&check);
  check_rope(&check);
  const AttentionErrors attention = attention_errors(table);
  check.add("kv_append", "bytes that differ", attention.append_bytes, 0);
  // Scores reach about 30, so their rounding moves a weight by 30 ε; weights sum to 1 and values reach 30.
  check.add("attention", "absolute", attention.attend, 30 * 30 * kEpsilon);
  return check.take();
}

KernelCheck check_linear(Isa isa, const LinearKernel& kernel, Precision precision) {
  constexpr int64_t kRows = 33;  // two panels and a row
  constexpr int64_t kCols = 256;
  const DType type = kernel.weight;
  const LinearKernel& reference = *find_linear(Isa::kReference, type, precision);
  const TestWeight w = random_weight(type, kRows, kCols, 10);
  const PreparedWeight prepared(kernel, w, kShards);
  const Matrix bias = random_matrix(1, kRows, 11);
  const double row_norm = largest_row_norm(*find_linear(Isa::kReference, type, Precision::kExact), w);
  const std::string name =
      "linear " + std::string(dtype_name(type)) + (precision == Precision::kFast ? " fast" : " exact");
  KernelCheck result{isa, name, "absolute", 0, 0};
  // Decode, a small batch and a prefill tile.
  for (int64_t tokens : {1, 3, 37}) {
    const Matrix x = random_matrix(tokens, kCols, 12);
    const Matrix q = quantized(Isa::kReference, x);
    const auto input = [&](const LinearKernel& k) { return k.activation == DType::kQ8Act ? q.view() : x.view(); };
    Matrix y(tokens, kRows);
    Matrix expected(tokens, kRows);
    run_sharded(kernel.run, {input(kernel), prepared.view(), bias.view().f32(0), y.view()}, kShards);
    run_sharded(reference.run, {input(reference), w.view, bias.view().f32(0), expected.view()}, 1);
    result.error = std::max(result.error, absolute_error(y, expected));
    result.tolerance = std::max(result.tolerance, linear_tolerance(x, row_norm));
  }
  return result;
}

std::vector<KernelCheck> check_kernels(Isa isa) {
  std::vector<KernelCheck> checks = check_table(isa, kernel_table(isa));
  for (const LinearType& type : kLinearTypes) {
    for (Precision precision : {Precision::kFast, Precision::kExact}) {
      const LinearKernel* kernel = find_linear(isa, type.weight, precision);
      if (kernel != nullptr) checks.push_back(check_linear(isa, *kernel, precision));
    }
  }
  return checks;
}

}  // namespace tribar::kernel
