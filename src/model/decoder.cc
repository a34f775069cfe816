#include "model/decoder.h"

#include "model/block/attention.h"
#include "model/block/mlp.h"
#include "model/block/norm.h"

namespace tribar::model {
namespace {

using graph::ValueId;

Result<ValueId> decoder_layer(BlockContext& m, ValueId x, int64_t layer, const RopeTables& tables) {
  const ModelConfig& c = m.config;
  const std::string name = "layer." + std::to_string(layer);

  ValueId h = x;
  if (c.pre_norms) {
    TRIBAR_ASSIGN_OR_RETURN(h, rms_norm(m, h, {Role::kAttentionNorm, layer}));
  }
  TRIBAR_ASSIGN_OR_RETURN(h, self_attention(m, h, layer, tables));
  m.builder.name(name + ".attn", h);
  if (c.post_norms) {
    TRIBAR_ASSIGN_OR_RETURN(h, rms_norm(m, h, {Role::kAfterAttentionNorm, layer}));
  }
  x = m.builder.add(x, h, c.residual_scale);

  h = x;
  if (c.pre_norms) {
    TRIBAR_ASSIGN_OR_RETURN(h, rms_norm(m, h, {Role::kMlpNorm, layer}));
  }
  TRIBAR_ASSIGN_OR_RETURN(h, gated_mlp(m, h, layer));
  m.builder.name(name + ".mlp", h);
  if (c.post_norms) {
    TRIBAR_ASSIGN_OR_RETURN(h, rms_norm(m, h, {Role::kAfterMlpNorm, layer}));
  }
  return m.builder.name(name, m.builder.add(x, h, c.residual_scale));
}

// The output matrix, or the embedding table used once more.
Result<ValueId> head_weight(BlockContext& m) {
  const ModelConfig& c = m.config;
  const bool tied = c.tied_head && !m.weights.has({Role::kHead});
  const WeightKey source{tied ? Role::kEmbedding : Role::kHead};
  return m.weights.matrix_part(source, all_rows(c.vocab_size), c.hidden_size, {Role::kHead});
}

}  // namespace

Status build_decoder(BlockContext& m) {
  const ModelConfig& c = m.config;
  TRIBAR_ASSIGN_OR_RETURN(const ValueId table, m.weights.embedding({Role::kEmbedding}, c.vocab_size, c.hidden_size));
  ValueId x = m.builder.name("embed", m.builder.embed(table, c.embed_scale));

  TRIBAR_ASSIGN_OR_RETURN(const RopeTables tables, build_rope_tables(m));
  for (size_t layer = 0; layer < c.layers.size(); ++layer) {
    TRIBAR_ASSIGN_OR_RETURN(x, decoder_layer(m, x, static_cast<int64_t>(layer), tables));
  }

  // Only the rows whose logits are wanted go on.
  TRIBAR_ASSIGN_OR_RETURN(x, rms_norm(m, m.builder.gather_logit_rows(x), {Role::kFinalNorm}));
  m.builder.name("final_norm", x);
  TRIBAR_ASSIGN_OR_RETURN(const ValueId head, head_weight(m));
  ValueId logits = m.builder.linear(x, head);
  if (c.logit_scale != 1.0f) logits = m.builder.scale(logits, c.logit_scale);
  if (c.final_softcap > 0.0f) logits = m.builder.softcap(logits, c.final_softcap);
  m.builder.set_logits(logits);
  return {};
}

}  // namespace tribar::model
