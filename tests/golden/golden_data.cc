#include "golden/golden_data.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tribar::golden {
namespace {

namespace json = boost::json;

std::vector<double> doubles(const json::value& value) {
  std::vector<double> out;
  for (const json::value& item : value.as_array()) out.push_back(item.to_number<double>());
  return out;
}

std::vector<int32_t> ids(const json::value& value) {
  std::vector<int32_t> out;
  for (const json::value& item : value.as_array()) out.push_back(item.to_number<int32_t>());
  return out;
}

GoldenCase read_case(const json::object& object) {
  GoldenCase c;
  c.name = std::string(object.at("name").as_string());
  c.ids = ids(object.at("ids"));
  c.last_logits = doubles(object.at("last_logits_fp64"));
  for (const json::value& row : object.at("top5_ids").as_array()) c.top5_ids.push_back(ids(row));
  for (const json::value& row : object.at("top5").as_array()) c.top5.push_back(doubles(row));
  c.greedy = ids(object.at("greedy"));
  c.logits_rms = object.at("logits_rms").to_number<double>();
  return c;
}

GoldenData read_object(const json::object& root) {
  GoldenData data;
  for (const json::value& c : root.at("cases").as_array()) data.cases.push_back(read_case(c.as_object()));
  const json::object& hidden = root.at("hidden").as_object();
  data.taps_case = std::string(hidden.at("case").as_string());
  for (const json::value& value : hidden.at("taps").as_array()) {
    const json::object& tap = value.as_object();
    data.taps.push_back({std::string(tap.at("name").as_string()), tap.at("mean").to_number<double>(),
                         tap.at("rms").to_number<double>(), doubles(tap.at("first4"))});
  }
  for (const auto& [key, value] : root.at("sensitivity").as_object()) {
    data.sensitivity[std::string(key)] = value.to_number<double>();
  }
  const json::value* gguf = root.if_contains("gguf");  // null where the family has no such file
  if (gguf == nullptr || !gguf->is_object()) return data;
  for (const auto& [key, value] : gguf->at("map").as_object()) {
    const json::object& entry = value.as_object();
    if (entry.contains("from")) data.gguf_from[std::string(key)] = std::string(entry.at("from").as_string());
  }
  return data;
}

}  // namespace

const std::vector<std::string>& golden_families() {
  static const std::vector<std::string> families = [] {
    std::vector<std::string> names = {"llama", "llama3",        "mistral", "qwen2", "qwen3",   "gemma2", "gemma3",
                                      "phi3",  "phi3_longrope", "smollm3", "olmo2", "granite", "glm4",   "glm"};
    const char* more = std::getenv("TRIBAR_GOLDENS");
    std::stringstream list(more != nullptr ? more : "");
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    return names;
  }();
  return families;
}

std::optional<std::string> golden_path(const std::string& family, const std::string& file) {
  const char* cases = std::getenv("TRIBAR_CASES");
  const std::string beside = std::string(TRIBAR_TEST_DATA) + "/../../../shared/cases";
  for (const std::string& root : {std::string(TRIBAR_TEST_DATA), cases != nullptr ? std::string(cases) : beside}) {
    const std::filesystem::path path = std::filesystem::path(root) / "models" / family / file;
    if (std::filesystem::exists(path)) return path.string();
  }
  return std::nullopt;
}

const GoldenCase& GoldenData::longest() const {
  return *std::max_element(cases.begin(), cases.end(),
                           [](const GoldenCase& a, const GoldenCase& b) { return a.ids.size() < b.ids.size(); });
}

const GoldenCase* GoldenData::find(const std::string& name) const {
  const auto found = std::find_if(cases.begin(), cases.end(), [&](const GoldenCase& c) { return c.name == name; });
  return found == cases.end() ? nullptr : &*found;
}

Result<GoldenData> read_golden(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return not_found(path);
  try {
    return read_object(json::parse(text.str()).as_object());
  } catch (const std::exception& e) {
    return data_loss(path + ": " + e.what());
  }
}

}  // namespace tribar::golden
