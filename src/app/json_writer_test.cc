#include "app/json_writer.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>

namespace tribar::app {
namespace {

TEST(JsonWriter, PlacesCommas) {
  JsonWriter json;
  json.begin_object().key("a").integer(-1).key("b").begin_array().end_array().key("c").begin_array();
  json.boolean(true)
      .null()
      .string("x")
      .begin_object()
      .end_object()
      .unsigned_integer(UINT64_MAX)
      .end_array()
      .end_object();
  EXPECT_EQ(json.text(), R"({"a":-1,"b":[],"c":[true,null,"x",{},18446744073709551615]})");
}

TEST(JsonWriter, EscapesStrings) {
  std::string all;
  for (char c = 1; c < 127; ++c) all += c;
  all += "\x7fé漢😀";
  all += '\0';
  JsonWriter json;
  json.begin_array().string(all).end_array();
  EXPECT_EQ(boost::json::parse(json.text()).at(0).as_string(), all);
  EXPECT_EQ(json.text().find('\n'), std::string::npos);
}

TEST(JsonWriter, LineSeparatorsOutsideAsciiAreEscaped) {
  JsonWriter json;
  json.string("a\u0085b\u2028c\u2029d\u2027e");
  EXPECT_EQ(json.text(), "\"a\\u0085b\\u2028c\\u2029d\u2027e\"");
}

TEST(JsonWriter, WritesNumbersWithTheDigitsAskedFor) {
  const auto text = [](double value, int digits) { return JsonWriter().number(value, digits).text(); };
  EXPECT_EQ(text(1.0 / 3, 9), "0.333333333");
  EXPECT_EQ(text(-123456789.123, 9), "-123456789");
  EXPECT_EQ(text(2, 9), "2");
  EXPECT_EQ(text(1e-30, 9), "1e-30");
  EXPECT_EQ(text(NAN, 9), "null");
  EXPECT_EQ(text(INFINITY, 9), "null");
  const float f = 0.1f;
  EXPECT_EQ(static_cast<float>(std::stod(text(static_cast<double>(f), 9))), f);
}

}  // namespace
}  // namespace tribar::app
