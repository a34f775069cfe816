// Rows of an instruction set's list of linear kernels.
//
//   constexpr auto kEntries = both_precisions<Avx512, Q4_K>("avx512.q4_k.p16", "avx512.q4_k.p16.exact");
//
// A format is packed once and read by two kernels: fast (Q8Act activations) and exact (fp32).
// Threads: constants.
#pragma once

#include <array>

#include "kernel/isa_kernels.h"
#include "kernel/panel/float_linear-inl.h"
#include "kernel/panel/int8_linear-inl.h"

namespace tribar::kernel::panel {

template <typename V, typename Format>
constexpr LinearEntry fast_entry(const char* name) {
  return {Precision::kFast,
          {name, Format::Source::kType, DType::kQ8Act, V::kRows, packed_bytes<Format, V::kRows>, pack<Format, V::kRows>,
           Int8Linear<V, Format>::run, Int8Linear<V, Format, true>::run, unpack_row<V, QuantWeights<V, Format>>}};
}

template <typename V, typename Format>
constexpr LinearEntry exact_entry(const char* name) {
  return {Precision::kExact,
          {name, Format::Source::kType, DType::kF32, V::kRows, packed_bytes<Format, V::kRows>, pack<Format, V::kRows>,
           FloatLinear<V, QuantWeights<V, Format>>::run, nullptr, unpack_row<V, QuantWeights<V, Format>>}};
}

// Plain types have one kernel for both precisions.
template <typename V, typename T, DType type>
constexpr LinearEntry plain_entry(Precision precision, const char* name) {
  return {precision,
          {name, type, DType::kF32, V::kRows, packed_bytes_plain<T, V::kRows>, pack_plain<T, V::kRows>,
           FloatLinear<V, PlainWeights<V, T, type>>::run, nullptr, unpack_row<V, PlainWeights<V, T, type>>}};
}

}  // namespace tribar::kernel::panel
