#include "app/token_list.h"

#include <charconv>

namespace tribar::app {

Result<std::vector<int32_t>> parse_token_list(std::string_view text) {
  std::vector<int32_t> ids;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, comma - begin);
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), id);
    if (error != std::errc() || stop != part.data() + part.size()) {
      return invalid_argument("'" + std::string(part) + "' is not a token id; token ids are written as 1,2,3");
    }
    ids.push_back(id);
    begin = comma + 1;
  }
  return ids;
}

}  // namespace tribar::app
