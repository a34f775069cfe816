#include "graph/graph.h"

#include <type_traits>

namespace tribar::graph {
namespace {

template <typename T, size_t I = 0>
constexpr size_t attrs_index() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Attrs>, T>) {
    return I;
  } else {
    return attrs_index<T, I + 1>();
  }
}

constexpr OpInfo kOps[] = {
#define TRIBAR_OP(kind, name, attrs, in_place) {name, attrs_index<attrs>(), in_place},
#include "graph/ops.def"
#undef TRIBAR_OP
};

}  // namespace

const OpInfo& op_info(OpKind kind) { return kOps[static_cast<size_t>(kind)]; }

std::optional<ResourceAccess> resource_access(const Node& node) {
  if (const auto* kv = std::get_if<KvAttrs>(&node.attrs)) return ResourceAccess{kv->layer, Access::kWrite};
  if (const auto* attention = std::get_if<AttentionAttrs>(&node.attrs)) {
    return ResourceAccess{attention->layer, Access::kRead};
  }
  return std::nullopt;
}

}  // namespace tribar::graph
