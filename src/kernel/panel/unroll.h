// Loops that are unrolled whatever the compiler's mood: the counter is a constant (shift amounts) and arrays stay in
// registers.
//
//   unroll<8>([&](auto step) { dot.template add<step>(...); });
//
// Threads: pure.
#pragma once

#include <utility>

namespace tribar::kernel::panel {

#define TRIBAR_INLINE [[gnu::always_inline]] inline
// On the lambdas that unroll() calls.
#define TRIBAR_INLINE_LAMBDA __attribute__((always_inline))

template <int n, typename Body>
TRIBAR_INLINE void unroll(Body&& body) {
  [&]<int... i>(std::integer_sequence<int, i...>)
      TRIBAR_INLINE_LAMBDA { (body(std::integral_constant<int, i>{}), ...); }(std::make_integer_sequence<int, n>{});
}

}  // namespace tribar::kernel::panel
