#include "format/json/flatten.h"

#include <gtest/gtest.h>

namespace tribar::format {
namespace {

Metadata flat(std::string_view text) {
  Metadata out;
  const Status status = flatten_json(text, "", out);
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

TEST(Flatten, NestedObjectsGetDottedKeys) {
  const Metadata m = flat(R"({"rope_scaling":{"factor":8.0,"inner":{"x":1}},"n":3,"gone":null,"s":"t","b":false})");
  EXPECT_EQ(m.get_double("rope_scaling.factor"), 8.0);
  EXPECT_EQ(m.get_int("rope_scaling.inner.x"), 1);
  EXPECT_EQ(m.get_int("n"), 3);
  EXPECT_FALSE(m.contains("gone"));
  EXPECT_EQ(m.get_string("s"), "t");
  EXPECT_EQ(m.get_bool("b"), false);
  EXPECT_TRUE(m.contains_object("rope_scaling"));
}

TEST(Flatten, ArraysOfOneKindAreOneValue) {
  const Metadata m = flat(R"({"i":[1,2],"d":[1,2.5],"s":["a"],"b":[true],"e":[],"o":{"e":[]}})");
  EXPECT_EQ(m.get_ints("i"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(m.get_doubles("d"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(m.get_strings("s")->size(), 1u);
  EXPECT_EQ(m.get_bools("b"), std::vector<bool>{true});
  EXPECT_NE(m.get_strings("e"), nullptr);
  EXPECT_NE(m.get_strings("o.e"), nullptr);
}

TEST(Flatten, OtherArraysAreNumbered) {
  const Metadata m = flat(R"({"mixed":[1,"a",null,true],"objects":[{"x":1},2,{"x":3}],"rows":[[1,2],[],[3]]})");
  EXPECT_EQ(m.get_int("mixed.0"), 1);
  EXPECT_EQ(m.get_string("mixed.1"), "a");
  EXPECT_FALSE(m.contains("mixed.2"));
  EXPECT_EQ(m.get_bool("mixed.3"), true);
  EXPECT_EQ(m.get_int("objects.0.x"), 1);
  EXPECT_EQ(m.get_int("objects.1"), 2);
  EXPECT_EQ(m.get_int("objects.2.x"), 3);
  EXPECT_EQ(m.get_ints("rows.0"), (std::vector<int64_t>{1, 2}));
  EXPECT_NE(m.get_strings("rows.1"), nullptr);
  EXPECT_EQ(m.get_ints("rows.2"), (std::vector<int64_t>{3}));
}

TEST(Flatten, PrefixGoesInFront) {
  Metadata out;
  ASSERT_TRUE(flatten_json(R"({"eos_token_id":[1]})", "generation_config.", out).ok());
  EXPECT_EQ(out.get_ints("generation_config.eos_token_id"), std::vector<int64_t>{1});
}

TEST(Flatten, RefusesWhatHasNoOneMeaning) {
  Metadata out;
  EXPECT_EQ(flatten_json("[1]", "", out).message(), "the JSON is an array, not an object");
  EXPECT_EQ(flatten_json("3", "", out).message(), "the JSON is a single value, not an object");
  EXPECT_EQ(flatten_json(R"({"a.b":1,"a":{"b":2}})", "", out).message(), "the key 'a.b' is given twice");
  EXPECT_EQ(flatten_json(std::string(kMaxConfigBytes + 1, ' '), "", out).code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tribar::format
