// Argument structs of the kernels: one an operator, plain data, no ownership.
//
// T = tokens in the step, all sequences joined; R = rows whose logits are wanted; H = heads; d = head size.
// Activations are TensorView [rows, cols]. Unless said otherwise inputs and outputs are F32, an output may be the
// very same view as an input of equal shape (in place), and must not overlap it in any other way.
// Every kernel is called by all members of a team with their Shard and splits the work itself; a result must not
// depend on the split, on T, or on neighbouring rows (row invariance, docs/ARCHITECTURE.md).
#pragma once

#include <cstdint>
#include <span>

#include "kernel/weight.h"
#include "tensor/view.h"

namespace tribar::kernel {

// Row `row` of a matrix in some stored form as floats.  y: [cols].
using UnpackRow = void (*)(const WeightView& stored, int64_t row, float* y);

// y[t] = scale * table[ids[t]], dequantised.  table: [vocab, cols], row-major as in the file, or whatever form
// unpack_row reads (a table that is the output matrix as well is stored once, in panels).  y: [T, cols].
struct EmbedArgs {
  const int32_t* ids = nullptr;  // [T], each in [0, table.rows)
  WeightView table;
  float scale = 1.0f;
  TensorView y;
  UnpackRow unpack_row = nullptr;  // null: file rows
};

// y = x · Wᵀ + bias.  x: [T, K], F32 or Q8Act as the LinearKernel asks.
// w: [N, K].  bias: [N] or null.  y: [T, N] F32.
struct LinearArgs {
  TensorView x;
  WeightView w;
  const float* bias = nullptr;
  TensorView y;
};

// y = quantised x.  x: [T, K] F32.  y: [T, K] Q8Act (tensor/act_q8.h).
struct QuantizeArgs {
  TensorView x;
  TensorView y;
  int64_t group = 32;  // columns that share a scale: 32 or act_q8::kWideGroup
};

// Each row is cut into `groups` equal parts (1 for a whole-row norm, H for a per-head norm); each part is scaled by
// (w + weight_offset) / sqrt(mean(x²) + eps).  w: [cols / groups].  The mean is accumulated in fp32 or better.
struct RmsNormArgs {
  TensorView x;
  const float* w = nullptr;
  float weight_offset = 0.0f;  // 1 where the file stores w - 1 (Gemma in safetensors)
  float eps = 1e-6f;
  int64_t groups = 1;
  TensorView y;
};

// y = (x - mean) / sqrt(var + eps) * w + bias over the whole row; bias may be null.
struct LayerNormArgs {
  TensorView x;
  const float* w = nullptr;
  const float* bias = nullptr;
  float eps = 1e-5f;
  TensorView y;
};

// y = a + scale_b * b.
struct AddArgs {
  TensorView a;
  TensorView b;
  float scale_b = 1.0f;
  TensorView y;
};

// y = scale * x.
struct ScaleArgs {
  TensorView x;
  float scale = 1.0f;
  TensorView y;
};

// y = cap * tanh(x / cap).
struct SoftcapArgs {
  TensorView x;
  float cap = 0.0f;
  TensorView y;
};

enum class Activation : uint8_t {
  kSilu,      // x / (1 + e^-x)
  kGeluTanh,  // 0.5 x (1 + tanh(√(2/π)(x + 0.044715 x³)))
  kGeluErf,   // 0.5 x (1 + erf(x / √2))
  kRelu,
  kReluSquared,
};

// y = activation(x).
struct ActivateArgs {
  TensorView x;
  Activation activation = Activation::kSilu;
  TensorView y;
};

// y = activation(gate) * up.
struct GluArgs {
  TensorView gate;
  TensorView up;
  Activation activation = Activation::kSilu;
  TensorView y;
};

// Rotary angles of each token, shared by all layers with the same RopeFrequencies.
// y: [T, rot_dim] F32: cos of the rot_dim/2 frequencies, then their sines, times the attention factor.
struct RopeTableArgs {
  const int32_t* positions = nullptr;  // [T]
  // [T]: the length that chooses the frequency list (long context variants); equal for all tokens of one prompt.
  const int32_t* lengths = nullptr;
  std::span<const float> inv_freq = {};       // [rot_dim / 2]
  std::span<const float> inv_freq_long = {};  // used where lengths[t] > switch_length; empty if there is one list only
  float attention_factor = 1.0f;
  float attention_factor_long = 1.0f;
  int64_t switch_length = 0;  // 0: never switch
  // Dynamic NTK: where lengths[t] > dynamic_length, base' = base * (f * len / dynamic_length - (f - 1))^(dim / (dim
  // - 2)).
  int64_t dynamic_length = 0;  // 0: off
  float dynamic_factor = 1.0f;
  float dynamic_base = 10000.0f;
  TensorView y;
};

enum class RopePairing : uint8_t {
  kHalves,    // (i, i + rot_dim/2): Hugging Face "rotate_half"
  kAdjacent,  // (2i, 2i + 1)
};

// Rotates the first rot_dim values of each head; the others are copied.  x, y: [T, heads * head_dim].
struct RopeArgs {
  TensorView x;
  TensorView table;  // [T, rot_dim]
  int64_t heads = 1;
  int64_t head_dim = 0;
  RopePairing pairing = RopePairing::kHalves;
  TensorView y;
};

// One layer's paged cache. K is [block][kv_head][block_tokens][k_dim], V is [block][kv_head][block_tokens][v_dim].
struct KvView {
  void* k = nullptr;
  void* v = nullptr;
  DType dtype = DType::kF32;  // F32 or F16
  int64_t block_tokens = 0;
  int64_t kv_heads = 0;
  int64_t k_dim = 0;
  int64_t v_dim = 0;
};

// One sequence's part of a step: tokens [token_begin, token_begin + token_count) of the T tokens are its positions
// [kv_length - token_count, kv_length). blocks[p / block_tokens] is the block of position p.
struct SequenceView {
  int64_t token_begin = 0;
  int64_t token_count = 0;
  int64_t kv_length = 0;
  const int32_t* blocks = nullptr;
};

// Stores the step's keys and values.  k: [T, kv_heads * k_dim], v: [T, kv_heads * v_dim].
struct KvAppendArgs {
  TensorView k;
  TensorView v;
  KvView cache;
  std::span<const SequenceView> sequences = {};
};

// Causal attention of each token over its sequence's cache (its own key included, already appended).
// q: [T, heads * k_dim].  y: [T, heads * v_dim].  Query head h reads KV head h / (heads / kv_heads).
// score = scale * q·k, then cap * tanh(score / cap) if cap > 0; position p sees keys in (p - window, p], window 0 =
// all. Order of accumulation is fixed by absolute key position: keys in tiles of kAttentionTile from position 0
// (tiles wholly outside the window are skipped), so results do not depend on chunking. Online softmax: Milakov &
// Gimelshein 2018.
struct AttentionArgs {
  TensorView q;
  KvView cache;
  std::span<const SequenceView> sequences = {};
  int64_t heads = 0;
  float scale = 1.0f;
  float softcap = 0.0f;
  int64_t window = 0;
  const float* sinks = nullptr;  // [heads] extra logit that takes part in the softmax but has no value; null: none
  TensorView y;
};
inline constexpr int64_t kAttentionTile = 32;

// y[r] = x[rows[r]].  x: [T, cols], y: [R, cols].
struct GatherRowsArgs {
  TensorView x;
  const int32_t* rows = nullptr;  // [R]
  TensorView y;
};

}  // namespace tribar::kernel
