// Sampler settings and logits as JSON, in the names of cases/sampling and of the OpenAI API.
//
//   {"temperature":0.7,"top_k":40,"top_p":0.95,"min_p":0.05,"typical_p":1,"repetition_penalty":1.1,
//    "presence_penalty":0,"frequency_penalty":0,"logit_bias":{"17":-2.5},"seed":7}
//
// Absent and null leave a parameter as it is. Errors: kInvalidArgument for a wrong type or an unknown name (with the
// one that was meant).
#pragma once

#include <boost/json.hpp>

#include "base/status.h"
#include "engine/sampler/sampling_params.h"

namespace tribar::app {

Status parse_sampling_params(const boost::json::object& object, engine::SamplingParams* params);

}  // namespace tribar::app
