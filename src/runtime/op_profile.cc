#include "runtime/op_profile.h"

#include <algorithm>

#include "runtime/linear_work.h"
#include "tensor/act_q8.h"

namespace tribar::runtime {

OpTime describe_step(const graph::Graph& graph, const graph::Node& node, const WeightStore& weights) {
  OpTime time;
  time.op = graph::op_name(node.op);
  time.calls = 1;
  if (!node.outputs.empty()) time.rows = graph.value(node.outputs[0]).shape.rows;
  if (const auto* quantize = std::get_if<graph::QuantizeAttrs>(&node.attrs)) {
    time.detail = "groups of " + std::to_string(quantize->group);
  }
  if (node.op != graph::OpKind::kLinear) return time;
  const WeightStore::Matrix& matrix = weights.matrix(graph.value(node.inputs[1]).weight);
  time.detail = std::string(dtype_name(matrix.view.dtype)) + " " + std::to_string(matrix.view.rows) + "x" +
                std::to_string(matrix.view.cols);
  const int32_t producer = graph.value(node.inputs[0]).producer;
  if (producer >= 0) {
    const auto* quantize = std::get_if<graph::QuantizeAttrs>(&graph.nodes[static_cast<size_t>(producer)].attrs);
    if (quantize != nullptr && quantize->group == act_q8::kWideGroup) time.detail += " wide";
  }
  time.weight_bytes = stored_bytes(matrix);
  time.macs_per_row = matrix.view.rows * matrix.view.cols;
  return time;
}

StepTimer::StepTimer(size_t steps, int members) : members_(static_cast<size_t>(members)) {
  for (Member& member : members_) {
    member.busy_us.resize(steps);
    member.wait_us.resize(steps);
  }
}

void StepTimer::finish_run(int64_t tokens, int64_t logit_rows, double wall_us) {
  ++totals_.runs;
  totals_.tokens += tokens;
  totals_.logit_rows += logit_rows;
  totals_.wall_us += wall_us;
}

OpProfile StepTimer::profile(const std::vector<OpTime>& steps) const {
  OpProfile profile = totals_;
  const auto count = static_cast<double>(members_.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto same = [&](const OpTime& op) {
      return op.op == steps[i].op && op.detail == steps[i].detail && op.rows == steps[i].rows;
    };
    auto op = std::find_if(profile.ops.begin(), profile.ops.end(), same);
    if (op == profile.ops.end()) {
      op = profile.ops.insert(op, steps[i]);
    } else {
      op->calls += steps[i].calls;
      op->weight_bytes += steps[i].weight_bytes;
      op->macs_per_row += steps[i].macs_per_row;
    }
    for (const Member& member : members_) {
      op->busy_us += member.busy_us[i] / count;
      op->wait_us += member.wait_us[i] / count;
    }
  }
  return profile;
}

}  // namespace tribar::runtime
