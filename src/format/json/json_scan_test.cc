#include "format/json/json_scan.h"

#include <gtest/gtest.h>

#include <string>

namespace tribar::format {
namespace {

// Writes the events down, strings in quotes.
class Recorder : public JsonSink {
 public:
  std::string log;
  Status begin_object() override { return note("{"); }
  Status end_object() override { return note("}"); }
  Status begin_array() override { return note("["); }
  Status end_array() override { return note("]"); }
  Status key(std::string_view key) override { return note(std::string(key) + ":"); }
  Status value(const JsonScalar& value) override {
    if (std::holds_alternative<std::monostate>(value)) return note("null ");
    if (const bool* v = std::get_if<bool>(&value)) return note(*v ? "true " : "false ");
    if (const int64_t* v = std::get_if<int64_t>(&value)) return note(std::to_string(*v) + " ");
    if (const double* v = std::get_if<double>(&value)) {
      last_double = *v;
      return note("real ");
    }
    return note("'" + std::string(std::get<std::string_view>(value)) + "' ");
  }
  double last_double = 0;

 private:
  Status note(const std::string& text) {
    log += text;
    return {};
  }
};

TEST(JsonScan, GivesEventsInOrder) {
  Recorder out;
  ASSERT_TRUE(scan_json(" {\"a\": [1, -2, true, null], \"b\\u00e9\": {\"c\": \"x\\ny\"}} \n", out).ok());
  EXPECT_EQ(out.log, "{a:[1 -2 true null ]bé:{c:'x\ny' }}");
}

TEST(JsonScan, NumbersAreExact) {
  Recorder out;
  ASSERT_TRUE(scan_json("[9223372036854775807, -9223372036854775808, 9223372036854775808]", out).ok());
  EXPECT_EQ(out.log, "[9223372036854775807 -9223372036854775808 real ]");
  EXPECT_EQ(out.last_double, 9223372036854775808.0);
  for (const char* text :
       {"0.04419417382415922", "1e-05", "1e-06", "2.2250738585072011e-308", "123456789012345678901234567890.5"}) {
    ASSERT_TRUE(scan_json(text, out).ok());
    EXPECT_EQ(out.last_double, strtod(text, nullptr)) << text;
  }
}

TEST(JsonScan, RefusesWhatIsNoStrictJson) {
  for (const std::string text : {"", "{", "{\"a\":1,}", "[1 2]", "nul", "{\"a\" 1}", "'a'", "{} {}", "[1]x", "// c\n1",
                                 "\"\xff\"", "\"\\ud800\"", "01", "NaN", "\"a\nb\"", "\xef\xbb\xbf{}"}) {
    Recorder out;
    EXPECT_EQ(scan_json(text, out).code(), StatusCode::kDataLoss) << text;
  }
}

TEST(JsonScan, RefusesRepeatedKeys) {
  Recorder out;
  EXPECT_EQ(scan_json("{\"a\":1,\"b\":{\"a\":2},\"a\":3}", out).message(), "the key 'a' appears twice in one object");
  EXPECT_FALSE(scan_json("{\"a\":1,\"\\u0061\":3}", out).ok());
  EXPECT_TRUE(scan_json("[{\"a\":1},{\"a\":2}]", out).ok());
}

TEST(JsonScan, DepthIsLimitedBeforeTheStackIs) {
  Recorder out;
  EXPECT_TRUE(scan_json(std::string(64, '[') + std::string(64, ']'), out).ok());
  EXPECT_EQ(scan_json(std::string(65, '[') + std::string(65, ']'), out).message(), "JSON nested deeper than 64 levels");
  EXPECT_FALSE(scan_json(std::string(5'000'000, '['), out).ok());
}

TEST(JsonScan, ASinkStopsTheScan) {
  struct Stop : JsonSink {
    Status value(const JsonScalar&) override { return unimplemented("enough"); }
  } sink;
  EXPECT_EQ(scan_json("[1, 2", sink).message(), "enough");
}

}  // namespace
}  // namespace tribar::format
