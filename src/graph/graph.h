// Graph: one forward pass of a model as typed operators over symbolic shapes; weights are constants, the KV cache a
// resource.
//
// Built by model/ through graph/builder.h, rewritten by the passes of graph/pipeline.cc, lowered by runtime/lower.cc.
// Nodes stand in an order that can be executed. A node that touches a layer's cache says so in its attributes; the
// order of kv_append before attention of the same layer is kept by every pass (resource edges, see resource_access()).
// Threads: one writer; immutable once handed to the runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/attrs.h"
#include "graph/value.h"

namespace tribar::graph {

enum class OpKind : uint8_t {
#define TRIBAR_OP(kind, name, attrs, in_place) k##kind,
#include "graph/ops.def"
#undef TRIBAR_OP
};

// What holds for every node of a kind: its row of ops.def.
struct OpInfo {
  std::string_view name;
  size_t attrs_index = 0;  // of the alternative of Attrs that its nodes carry
  uint32_t in_place = 0;   // bit i: the output may be written over input i, if types agree and input i dies here
};
const OpInfo& op_info(OpKind kind);
inline std::string_view op_name(OpKind kind) { return op_info(kind).name; }

struct Node {
  OpKind op = OpKind::kEmbed;
  std::vector<ValueId> inputs;  // kNoValue for an absent optional input
  std::vector<ValueId> outputs;
  Attrs attrs;
};

// The cache that a layer needs.
struct KvSpec {
  int64_t kv_heads = 0;
  int64_t k_dim = 0;
  int64_t v_dim = 0;
  int64_t window = 0;  // 0: every position may be read again
};

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<WeightSpec> weights;
  std::vector<KvSpec> kv_layers;
  // The step's inputs, always present: token ids, positions, rope lengths (all [T, 1] I32), rows wanted ([R, 1] I32).
  ValueId ids = kNoValue;
  ValueId positions = kNoValue;
  ValueId rope_lengths = kNoValue;
  ValueId logit_rows = kNoValue;
  ValueId logits = kNoValue;  // the result, [R, vocab] F32

  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }
};

enum class Access : uint8_t { kRead, kWrite };
struct ResourceAccess {
  int32_t layer = 0;
  Access access = Access::kRead;
};
// The layer cache that this node reads or writes, if any.
std::optional<ResourceAccess> resource_access(const Node& node);

}  // namespace tribar::graph
