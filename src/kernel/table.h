// KernelTable: the functions that do the arithmetic, one table an instruction set.
//
//   const KernelTable& k = kernel_table(Isa::kAvx512);
//   team.run([&](Shard s) { k.rms_norm(args, s); });
//
// `reference` is plain scalar code, the oracle for everything else; `generic` is portable code that the compiler
// vectorises; `avx2` and `avx512` override what they do better and take the rest from `generic`. Each function is
// called by every member of a team with its Shard. Linear layers depend on the weight's type as well and are found
// by find_linear(). Threads: immutable tables.
#pragma once

#include "base/cpu_features.h"
#include "base/thread_team.h"
#include "kernel/args.h"

namespace tribar::kernel {

template <typename Args>
using KernelFn = void (*)(const Args&, Shard);

struct KernelTable {
  KernelFn<EmbedArgs> embed;
  KernelFn<QuantizeArgs> quantize;
  KernelFn<RmsNormArgs> rms_norm;
  KernelFn<LayerNormArgs> layer_norm;
  KernelFn<AddArgs> add;
  KernelFn<ScaleArgs> scale;
  KernelFn<SoftcapArgs> softcap;
  KernelFn<ActivateArgs> activate;
  KernelFn<GluArgs> glu;
  KernelFn<RopeTableArgs> rope_table;
  KernelFn<RopeArgs> rope;
  KernelFn<KvAppendArgs> kv_append;
  KernelFn<AttentionArgs> attention;
  KernelFn<GatherRowsArgs> gather_rows;
};

const KernelTable& kernel_table(Isa isa);

// One way to compute a linear layer: how its weight is stored and the function that reads it.
struct LinearKernel {
  const char* name;  // "avx512.q4_k.p16"
  DType weight;      // source type
  DType activation;  // kF32 or kQ8Act: what LinearArgs::x must be
  // Rows of the packed form are grouped in panels of this many; 0 = reads the file's rows as they are (no packing).
  int64_t panel_rows;
  // Bytes of the packed form of [rows, cols]; null when panel_rows is 0. Panels lie one after the other, all of the
  // same size, so any run of whole panels can be packed apart from the others.
  int64_t (*packed_bytes)(int64_t rows, int64_t cols);
  // Packs this shard's panels of `source` (row-major file rows) into `packed`, 64-byte aligned.
  void (*pack)(const WeightView& source, std::byte* packed, Shard shard);
  KernelFn<LinearArgs> run;
  // The same for rows quantised with one scale for act_q8::kWideGroup columns: faster, rounds otherwise. Null: none,
  // and `run` reads such rows as well.
  KernelFn<LinearArgs> run_wide = nullptr;
  // One row of the packed form as floats, equal to quant::dequantize_row of the source; null when panel_rows is 0.
  UnpackRow unpack_row = nullptr;
};

// kExact dequantises the weights and computes in fp32; kFast may quantise activations to Q8Act.
enum class Precision : uint8_t { kFast, kExact };

// Never null for a dtype that a model file may hold and isa one that this machine has.
const LinearKernel* find_linear(Isa isa, DType weight, Precision precision);

}  // namespace tribar::kernel
