// Rotary configuration of config.json; see config_hf.h.
#include <algorithm>
#include <array>
#include <string>

#include "model/block/rope.h"
#include "model/config_hf.h"

namespace tribar::model {
namespace {

constexpr RealRange kFactor{1e-3, 1e6};

class RopeReader {
 public:
  RopeReader(Fields& f, const HfRopeSource& where, const ModelConfig& c) : f_(f), where_(where), c_(c) {
    object_ = std::string(f.has_object(where.old_object) ? where.old_object : where.object) + ".";
  }

  RopeConfig read() {
    RopeConfig rope;
    const double top_theta = f_.real(where_.old_theta, {1e-3, 1e15}, where_.default_theta);
    rope.theta = f_.real(in("rope_theta"), {1e-3, 1e15}, top_theta);
    const double top_partial = f_.real("partial_rotary_factor", {0.0, 1.0}, where_.default_partial);
    const double partial = f_.real(in("partial_rotary_factor"), {0.0, 1.0}, top_partial);
    rope.rot_dim = static_cast<int64_t>(static_cast<double>(c_.head_dim) * partial);
    const std::string mrope = in("mrope_section");
    const std::string alpha = in("alpha");
    f_.refuse(std::array{RefusedKey{mrope}, RefusedKey{alpha, true}});

    const std::string type = f_.word(in("rope_type"), f_.word(in("type"), "default"));
    if (type == "linear") {
      rope.scaling = RopeScaling::kLinear;
      rope.factor = f_.real(in("factor"), kFactor);
    } else if (type == "dynamic") {
      rope.scaling = RopeScaling::kDynamic;
      rope.factor = f_.real(in("factor"), kFactor);
      rope.original_length = c_.context_length;
    } else if (type == "llama3") {
      read_llama3(&rope);
    } else if (type == "yarn" && !where_.default_original_length) {
      read_yarn(&rope);
    } else if (type == "longrope" || type == "su" || type == "yarn") {  // phi3 says "su" or "yarn" in old files
      read_longrope(&rope);
    } else if (type != "default") {
      f_.refuse_word(in("rope_type"), type);
    }
    return rope;
  }

 private:
  std::string in(std::string_view key) const { return object_ + std::string(key); }

  int64_t original_length() {
    constexpr std::string_view kKey = "original_max_position_embeddings";
    constexpr IntRange kRange{1, kMaxContext};
    if (where_.default_original_length) return f_.integer(kKey, kRange, where_.default_original_length);
    return f_.integer(kKey, kRange, f_.integer(in(kKey), kRange, c_.context_length));
  }

  // `factor`, or how far the context exceeds what the model was trained on.
  double factor_or_ratio(int64_t original) {
    const double ratio = static_cast<double>(c_.context_length) / static_cast<double>(original);
    return f_.real(in("factor"), kFactor, ratio);
  }

  void read_llama3(RopeConfig* rope) {
    rope->scaling = RopeScaling::kLlama3;
    rope->factor = f_.real(in("factor"), kFactor);
    rope->low_freq_factor = f_.real(in("low_freq_factor"), kFactor);
    rope->high_freq_factor = f_.real(in("high_freq_factor"), kFactor);
    rope->original_length = original_length();
  }

  void read_yarn(RopeConfig* rope) {
    rope->scaling = RopeScaling::kYarn;
    rope->original_length = original_length();
    rope->factor = factor_or_ratio(rope->original_length);
    const double mscale = f_.real(in("mscale"), {0.0, 1e3}, 0.0);
    const double mscale_all = f_.real(in("mscale_all_dim"), {0.0, 1e3}, 0.0);
    const double inferred = mscale != 0.0 && mscale_all != 0.0 ? yarn_attention_factor(rope->factor, mscale) /
                                                                     yarn_attention_factor(rope->factor, mscale_all)
                                                               : yarn_attention_factor(rope->factor);
    rope->attention_factor = f_.real(in("attention_factor"), {1e-3, 1e3}, inferred);
    rope->beta_fast = zero_means(f_.real(in("beta_fast"), {0.0, 1e6}, 0.0), 32.0);
    rope->beta_slow = zero_means(f_.real(in("beta_slow"), {0.0, 1e6}, 0.0), 1.0);
    rope->truncate = f_.flag(in("truncate"), true);
  }

  void read_longrope(RopeConfig* rope) {
    rope->scaling = RopeScaling::kLongRope;
    rope->original_length = original_length();
    const double inferred = longrope_attention_factor(factor_or_ratio(rope->original_length), rope->original_length);
    rope->attention_factor = f_.real(in("attention_factor"), {1e-3, 1e3}, inferred);
    const auto half = static_cast<size_t>(rope->rot_dim / 2);
    rope->short_factors = f_.reals(in("short_factor"), {1e-6, 1e6}, half);
    rope->long_factors = f_.reals(in("long_factor"), {1e-6, 1e6}, half);
  }

  static double zero_means(double value, double fallback) { return value == 0.0 ? fallback : value; }

  Fields& f_;
  const HfRopeSource& where_;
  const ModelConfig& c_;
  std::string object_;
};

}  // namespace

RopeConfig read_hf_rope(Fields& fields, const HfRopeSource& where, const ModelConfig& config) {
  return RopeReader(fields, where, config).read();
}

}  // namespace tribar::model
