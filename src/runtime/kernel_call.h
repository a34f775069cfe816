// KernelCall: one kernel with its arguments, as plain data that can be stored, patched and run.
//
//   run_call(call, shard);                                  // on every member of the team
//   for_each_view(&call, [](TensorView* view) { ... });     // activation inputs in the node's order, then the output
//
// A new operator adds its argument struct to KernelCall and an overload of visit_views() below.
// Threads: plain data.
#pragma once

#include <variant>

#include "kernel/args.h"
#include "kernel/table.h"

namespace tribar::runtime {

template <typename Args>
struct Bound {
  kernel::KernelFn<Args> fn = nullptr;
  Args args;
};

using KernelCall =
    std::variant<Bound<kernel::EmbedArgs>, Bound<kernel::LinearArgs>, Bound<kernel::QuantizeArgs>,
                 Bound<kernel::RmsNormArgs>, Bound<kernel::LayerNormArgs>, Bound<kernel::AddArgs>,
                 Bound<kernel::ScaleArgs>, Bound<kernel::SoftcapArgs>, Bound<kernel::ActivateArgs>,
                 Bound<kernel::GluArgs>, Bound<kernel::RopeTableArgs>, Bound<kernel::RopeArgs>,
                 Bound<kernel::KvAppendArgs>, Bound<kernel::AttentionArgs>, Bound<kernel::GatherRowsArgs>>;

inline void run_call(const KernelCall& call, Shard shard) {
  std::visit([&](const auto& bound) { bound.fn(bound.args, shard); }, call);
}

namespace detail {
template <typename Fn>
void visit_views(kernel::EmbedArgs& a, Fn&& fn) {
  fn(&a.y);
}
template <typename Fn>
void visit_views(kernel::RopeTableArgs& a, Fn&& fn) {
  fn(&a.y);
}
template <typename Fn>
void visit_views(kernel::AddArgs& a, Fn&& fn) {
  fn(&a.a);
  fn(&a.b);
  fn(&a.y);
}
template <typename Fn>
void visit_views(kernel::GluArgs& a, Fn&& fn) {
  fn(&a.gate);
  fn(&a.up);
  fn(&a.y);
}
template <typename Fn>
void visit_views(kernel::RopeArgs& a, Fn&& fn) {
  fn(&a.x);
  fn(&a.table);
  fn(&a.y);
}
template <typename Fn>
void visit_views(kernel::KvAppendArgs& a, Fn&& fn) {
  fn(&a.k);
  fn(&a.v);
}
template <typename Fn>
void visit_views(kernel::AttentionArgs& a, Fn&& fn) {
  fn(&a.q);
  fn(&a.y);
}
// Everything else has one activation input.
template <typename Args, typename Fn>
void visit_views(Args& a, Fn&& fn) {
  fn(&a.x);
  fn(&a.y);
}
}  // namespace detail

template <typename Fn>
void for_each_view(KernelCall* call, Fn&& fn) {
  std::visit([&](auto& bound) { detail::visit_views(bound.args, fn); }, *call);
}

// The list of sequences that this call reads, null if it has none.
inline std::span<const kernel::SequenceView>* sequences_of(KernelCall* call) {
  if (auto* append = std::get_if<Bound<kernel::KvAppendArgs>>(call)) return &append->args.sequences;
  if (auto* attention = std::get_if<Bound<kernel::AttentionArgs>>(call)) return &attention->args.sequences;
  return nullptr;
}

}  // namespace tribar::runtime
