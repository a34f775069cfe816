// Reading the case files of tests: JSON lines and JSON documents as Boost.JSON values, and where larger sets lie.
//
//   for (const json::value& c : read_json_lines(dir + "/cases.jsonl")) { ... }
//   const std::string dir = cases_directory("tokenizer");   // empty: not on this machine, skip
//
// Threads: pure functions.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tribar::test {

namespace json = boost::json;

// The larger case sets: TRIBAR_CASES, or ../shared/cases beside the project. Empty if `name` is not there.
inline std::string cases_directory(const std::string& name) {
  const char* from_environment = std::getenv("TRIBAR_CASES");
  const std::string root = from_environment != nullptr ? from_environment : TRIBAR_TEST_DATA "/../../../shared/cases";
  const std::string directory = root + "/" + name;
  return std::filesystem::exists(directory) ? directory : std::string();
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("can not read " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline json::value read_json(const std::string& path) { return json::parse(read_file(path)); }

inline std::vector<json::value> read_json_lines(const std::string& path) {
  std::istringstream in(read_file(path));
  std::vector<json::value> values;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) values.push_back(json::parse(line));
  }
  return values;
}

// `text` of a case: a string or {"repeat": [s, n]}.
inline std::string case_text(const json::value& text) {
  if (text.is_string()) return std::string(text.as_string());
  const json::array& repeat = text.at("repeat").as_array();
  std::string out;
  for (int64_t i = 0; i < repeat[1].as_int64(); ++i) out += repeat[0].as_string();
  return out;
}

inline void append_ids(const json::value& list, std::vector<int32_t>* ids) {
  for (const json::value& id : list.as_array()) ids->push_back(static_cast<int32_t>(id.as_int64()));
}

// `ids`, `ids_rle` or `ids_periodic` of a case.
inline std::vector<int32_t> case_ids(const json::object& c) {
  std::vector<int32_t> ids;
  if (const json::value* plain = c.if_contains("ids")) {
    append_ids(*plain, &ids);
  } else if (const json::value* runs = c.if_contains("ids_rle")) {
    for (const json::value& run : runs->as_array()) {
      ids.insert(ids.end(), static_cast<size_t>(run.at(1).as_int64()), static_cast<int32_t>(run.at(0).as_int64()));
    }
  } else {
    const json::value& periodic = c.at("ids_periodic");
    append_ids(periodic.at("pre"), &ids);
    for (int64_t i = 0; i < periodic.at("count").as_int64(); ++i) append_ids(periodic.at("period"), &ids);
    append_ids(periodic.at("post"), &ids);
  }
  return ids;
}

}  // namespace tribar::test
