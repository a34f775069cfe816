// One line of `tribar sample --jsonl`: in {"logits":[...],"params":{...},"prompt_ids":[...],"output_ids":[...]},
// out {"probs":[...]} or {"error":{"kind":...,"message":...}}. A null logit is a masked token. Never fails.
#pragma once

#include <string>
#include <string_view>

namespace tribar::app {

std::string sample_line(std::string_view text);

}  // namespace tribar::app
