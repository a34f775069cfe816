// Arithmetic on sizes that come from a file or the network: the result is nullopt when it does not fit.
//
//   std::optional<uint64_t> bytes = checked_mul(rows, row_bytes);
//   if (!bytes || *bytes > bytes_left) return data_loss("...");
//
// Every size read from outside goes through here; raw + * << on such values is a defect.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>

namespace tribar {

template <std::integral T>
[[nodiscard]] constexpr std::optional<T> checked_add(T a, T b) {
  T out{};
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

template <std::integral T>
[[nodiscard]] constexpr std::optional<T> checked_mul(T a, T b) {
  T out{};
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

// `value` rounded up to a multiple of `alignment`, a power of two.
[[nodiscard]] constexpr std::optional<uint64_t> checked_align_up(uint64_t value, uint64_t alignment) {
  if (!std::has_single_bit(alignment)) return std::nullopt;
  const std::optional<uint64_t> sum = checked_add(value, alignment - 1);
  if (!sum) return std::nullopt;
  return *sum & ~(alignment - 1);
}

// `value` as another integer type, nullopt when it is out of that type's range.
template <std::integral To, std::integral From>
[[nodiscard]] constexpr std::optional<To> checked_cast(From value) {
  To out{};
  if (__builtin_add_overflow(value, From{0}, &out)) return std::nullopt;
  return out;
}

}  // namespace tribar
