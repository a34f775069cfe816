// A valid file as the fuzzer's starting point, made by our own writers instead of kept as a binary.
//
// TRIBAR_FUZZ_SEED(bytes) defines the mutator that libFuzzer calls: it mutates as usual, but every so often, and
// whenever the input is too short to be interesting, it starts again from the seed. Use once, at file scope.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

#define TRIBAR_FUZZ_SEED(seed_bytes)                                                                            \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int random);  \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int random) { \
    static const auto seed = seed_bytes;                                                                        \
    if (size < 32 || random % 32 == 0) {                                                                        \
      size = std::min(seed.size(), max_size);                                                                   \
      std::memcpy(data, seed.data(), size);                                                                     \
    }                                                                                                           \
    return LLVMFuzzerMutate(data, size, max_size);                                                              \
  }
