#include "base/cpu_features.h"

#include "base/amx_permission.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdlib>
#include <vector>

namespace tribar {
namespace {

#if defined(__x86_64__)

struct CpuidWords {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
};

CpuidWords cpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidWords words;
  __get_cpuid_count(leaf, subleaf, &words.eax, &words.ebx, &words.ecx, &words.edx);
  return words;
}

constexpr bool bit(uint32_t word, int index) { return ((word >> index) & 1U) != 0; }

// XCR0: which register states the operating system saves. Only valid where CPUID.1:ECX.OSXSAVE is set.
uint32_t read_xcr0() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

CpuFeatures read_cpu_features() {
  constexpr uint32_t kAvxState = 0x6;      // XMM, YMM
  constexpr uint32_t kAvx512State = 0xe6;  // and opmask, ZMM
  constexpr uint32_t kAmxState = 0x60000;  // tile configuration and data

  CpuFeatures f;
  const CpuidWords leaf1 = cpuid(1, 0);
  if (!bit(leaf1.ecx, 27)) return f;  // no OSXSAVE: the OS saves no vector state
  const uint32_t xcr0 = read_xcr0();
  const CpuidWords leaf7 = cpuid(7, 0);
  const CpuidWords leaf7_1 = leaf7.eax >= 1 ? cpuid(7, 1) : CpuidWords{};

  if ((xcr0 & kAvxState) == kAvxState) {
    f.avx2 = bit(leaf7.ebx, 5) && bit(leaf1.ecx, 12) && bit(leaf1.ecx, 29);  // AVX2, FMA, F16C
    f.avx_vnni = bit(leaf7_1.eax, 4);
  }
  if ((xcr0 & kAvx512State) == kAvx512State) {
    f.avx512 = bit(leaf7.ebx, 16) && bit(leaf7.ebx, 17) && bit(leaf7.ebx, 30) && bit(leaf7.ebx, 31);  // F, DQ, BW, VL
    f.avx512_vbmi = bit(leaf7.ecx, 1);
    f.avx512_vnni = bit(leaf7.ecx, 11);
    f.avx512_fp16 = bit(leaf7.edx, 23);
    f.avx512_bf16 = bit(leaf7_1.eax, 5);
  }
  if ((xcr0 & kAmxState) == kAmxState) {
    f.amx_bf16 = bit(leaf7.edx, 22);
    f.amx_tile = bit(leaf7.edx, 24);
    f.amx_int8 = bit(leaf7.edx, 25);
  }
  return f;
}

#else

CpuFeatures read_cpu_features() { return {}; }

#endif

struct NamedFeature {
  std::string_view name;
  bool CpuFeatures::* member;
};

constexpr std::array kNamedFeatures = {
    NamedFeature{"avx2", &CpuFeatures::avx2},
    NamedFeature{"avx512", &CpuFeatures::avx512},
    NamedFeature{"avx512_vnni", &CpuFeatures::avx512_vnni},
    NamedFeature{"avx512_bf16", &CpuFeatures::avx512_bf16},
    NamedFeature{"avx512_vbmi", &CpuFeatures::avx512_vbmi},
    NamedFeature{"avx512_fp16", &CpuFeatures::avx512_fp16},
    NamedFeature{"avx_vnni", &CpuFeatures::avx_vnni},
    NamedFeature{"amx_tile", &CpuFeatures::amx_tile},
    NamedFeature{"amx_int8", &CpuFeatures::amx_int8},
    NamedFeature{"amx_bf16", &CpuFeatures::amx_bf16},
};

// Ascending, as kAllIsas.
std::vector<Isa> possible_isas(const CpuFeatures& features) {
  std::vector<Isa> possible;
  for (Isa isa : kAllIsas) {
    if (isa_supported(isa, features)) possible.push_back(isa);
  }
  return possible;
}

// Tiles need more than a processor that has them.
const CpuFeatures& granted_features() {
  static const CpuFeatures granted = [] {
    CpuFeatures f = cpu_features();
    if (f.amx_tile && !request_amx_permission()) f.amx_tile = f.amx_int8 = f.amx_bf16 = false;
    return f;
  }();
  return granted;
}

std::string joined_names(const std::vector<Isa>& isas) {
  std::string names;
  for (Isa isa : isas) {
    if (!names.empty()) names += ", ";
    names += isa_name(isa);
  }
  return names;
}

}  // namespace

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = read_cpu_features();
  return features;
}

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kReference: return "reference";
    case Isa::kGeneric: return "generic";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
    case Isa::kAmx: return "amx";
  }
  return "unknown";
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (Isa isa : kAllIsas) {
    if (isa_name(isa) == name) return isa;
  }
  return std::nullopt;
}

bool isa_supported(Isa isa, const CpuFeatures& features) {
  switch (isa) {
    case Isa::kReference:
    case Isa::kGeneric: return true;
    case Isa::kAvx2: return features.avx2;
    case Isa::kAvx512: return features.avx2 && features.avx512 && features.avx512_vnni;
    case Isa::kAmx: return isa_supported(Isa::kAvx512, features) && features.amx_tile && features.amx_int8;
  }
  return false;
}

bool isa_supported(Isa isa) { return isa_supported(isa, granted_features()); }

Result<Isa> choose_isa(const CpuFeatures& features, std::optional<std::string_view> forced) {
  const std::vector<Isa> possible = possible_isas(features);
  if (!forced || forced->empty()) return possible.back();
  const std::optional<Isa> isa = isa_from_name(*forced);
  if (isa && isa_supported(*isa, features)) return *isa;
  const std::string_view reason = isa ? " is not supported by this processor" : " is not an instruction set level";
  return invalid_argument("TRIBAR_FORCE_ISA=" + std::string(*forced) + std::string(reason) +
                          "; possible here: " + joined_names(possible));
}

Result<Isa> detect_isa() {
  const char* forced = std::getenv("TRIBAR_FORCE_ISA");
  return choose_isa(granted_features(), forced == nullptr ? std::nullopt : std::optional<std::string_view>(forced));
}

std::string describe_cpu_features(const CpuFeatures& features) {
  std::string text;
  for (const NamedFeature& feature : kNamedFeatures) {
    if (!(features.*feature.member)) continue;
    if (!text.empty()) text += ' ';
    text += feature.name;
  }
  return text;
}

}  // namespace tribar
