#include "app/phase_clock.h"

#include <numeric>

#include "app/terminal.h"

namespace tribar::app {
namespace {

constexpr double kUsPerSecond = 1e6;
constexpr std::array<Phase, kPhases> kOrder = {Phase::kLoad,   Phase::kTokenise, Phase::kPrefill,
                                               Phase::kDecode, Phase::kSample,   Phase::kDetokenise};

// Made before main() runs, so that what the program does before a command starts is counted as loading.
const Stopwatch kProcessStart;

}  // namespace

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kLoad: return "load";
    case Phase::kTokenise: return "tokenise";
    case Phase::kPrefill: return "prefill";
    case Phase::kDecode: return "decode";
    case Phase::kSample: return "sample";
    case Phase::kDetokenise: return "detokenise";
  }
  return "";
}

PhaseClock::PhaseClock(Start start) : watch_(start == Start::kProcess ? kProcessStart : Stopwatch()) {}

void PhaseClock::enter(Phase phase) {
  charge();
  current_ = phase;
}

void PhaseClock::move(Phase from, Phase to, double us) {
  charge();
  us_[index(from)] -= us;
  us_[index(to)] += us;
}

double PhaseClock::total_us() const { return std::accumulate(us_.begin(), us_.end(), 0.0); }

double PhaseClock::tokens_per_second(Phase phase) const {
  const double seconds = us(phase) / kUsPerSecond;
  return tokens(phase) > 0 && seconds > 0 ? static_cast<double>(tokens(phase)) / seconds : 0;
}

std::string phase_table(const PhaseClock& clock, Style style) {
  std::array<char, 96> line;
  std::string table = style.dim();
  const auto append = [&](const char* pattern, auto... values) {
    std::snprintf(line.data(), line.size(), pattern, values...);
    table += line.data();
  };
  append("%-11s %10s %8s %12s\n", "phase", "time", "tokens", "tokens/s");
  for (Phase phase : kOrder) {
    append("%-11s %8.3f s", phase_name(phase).data(), clock.us(phase) / kUsPerSecond);
    if (clock.tokens(phase) > 0) {
      append(" %8lld %12.1f", static_cast<long long>(clock.tokens(phase)), clock.tokens_per_second(phase));
    }
    table += '\n';
  }
  append("%-11s %8.3f s", "total", clock.total_us() / kUsPerSecond);
  return table + style.reset() + "\n";
}

void print_phases(std::FILE* stream, const PhaseClock& clock) {
  std::fputs(phase_table(clock, Style::for_stream(stream)).c_str(), stream);
}

void write_phases(const PhaseClock& clock, JsonWriter* json) {
  constexpr int kDigits = 9;
  json->key("phases").begin_object();
  for (Phase phase : kOrder) {
    json->key(phase_name(phase)).begin_object();
    json->key("seconds").number(clock.us(phase) / kUsPerSecond, kDigits);
    json->key("tokens").integer(clock.tokens(phase));
    json->key("tokens_per_second").number(clock.tokens_per_second(phase), kDigits);
    json->end_object();
  }
  json->end_object().key("wall_seconds").number(clock.total_us() / kUsPerSecond, kDigits);
}

}  // namespace tribar::app
