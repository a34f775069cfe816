#include "text/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace tribar::text {

StopMatcher::StopMatcher(std::vector<std::string> stops) {
  for (std::string& text : stops) {
    if (text.empty()) continue;
    Stop stop{.text = std::move(text), .fallback = {0}, .matched = 0};
    for (size_t i = 1; i < stop.text.size(); ++i) {
      size_t border = stop.fallback[i - 1];
      while (border > 0 && stop.text[i] != stop.text[border]) border = stop.fallback[border - 1];
      stop.fallback.push_back(stop.text[i] == stop.text[border] ? border + 1 : 0);
    }
    stops_.push_back(std::move(stop));
  }
}

void StopMatcher::Stop::advance(char c) {
  if (matched == text.size()) matched = fallback[matched - 1];
  while (matched > 0 && text[matched] != c) matched = fallback[matched - 1];
  if (text[matched] == c) ++matched;
}

size_t StopMatcher::longest_match() const {
  size_t longest = 0;
  for (const Stop& stop : stops_) {
    if (stop.matched < stop.text.size()) longest = std::max(longest, stop.matched);
  }
  return longest;
}

bool StopMatcher::push(std::string_view text, std::string* out) {
  if (stopped_) return true;
  const size_t already_held = held_.size();
  held_ += text;
  size_t settled = 0;  // no stop string begins before this offset of held_
  for (size_t end = already_held + 1; end <= held_.size(); ++end) {
    for (Stop& stop : stops_) {
      stop.advance(held_[end - 1]);
      if (stop.matched == stop.text.size()) {
        const size_t begin = end - stop.text.size();
        stop_at_ = std::min(stop_at_.value_or(begin), begin);
      }
    }
    // Unfinished matches begin at `settled` or later.
    settled = end - longest_match();
    if (stop_at_ && settled >= *stop_at_) {
      out->append(held_, 0, *stop_at_);
      held_.clear();
      stopped_ = true;
      return true;
    }
  }
  if (held_.empty()) return false;
  const size_t release = stop_at_ ? std::min(settled, *stop_at_) : settled;
  out->append(held_, 0, release);
  held_.erase(0, release);
  if (stop_at_) *stop_at_ -= release;
  return false;
}

void StopMatcher::finish(std::string* out) {
  if (stopped_) return;
  if (stop_at_) {
    stopped_ = true;
    held_.resize(*stop_at_);
  }
  out->append(held_);
  held_.clear();
}

}  // namespace tribar::text
