// Which files hold the weights of a safetensors model directory.
//
// In this order: model.safetensors.index.json and the shards it names; model.safetensors; the one other *.safetensors,
// or a complete set name-00001-of-0000N.safetensors. A shard that is named but not there is kNotFound and says so.
// Threads: reads the directory; no state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"

namespace tribar::format::safetensors {

inline constexpr const char* kIndexFile = "model.safetensors.index.json";

struct ShardList {
  std::vector<std::string> files;                     // names in the directory, sorted
  std::map<std::string, std::string> file_of_tensor;  // from the index; empty if there is none
};

// The "weight_map" of an index file's text. Shard names are plain file names.
Result<ShardList> parse_index(std::string_view text);
Result<ShardList> find_shards(const std::string& directory);

// True for "x-00002-of-00003.safetensors".
bool is_shard_name(std::string_view file_name);

}  // namespace tribar::format::safetensors
