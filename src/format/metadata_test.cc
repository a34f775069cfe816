#include "format/metadata.h"

#include <gtest/gtest.h>

namespace tribar::format {
namespace {

Metadata sample() {
  Metadata m;
  m.set("int", int64_t{3});
  m.set("whole", 4.0);
  m.set("real", 0.5);
  m.set("huge", 1e300);
  m.set("text", std::string("hello"));
  m.set("flag", true);
  m.set("ints", std::vector<int64_t>{1, 2});
  m.set("wholes", std::vector<double>{1.0, 2.0});
  m.set("reals", std::vector<double>{1.5});
  m.set("words", std::vector<std::string>{"a"});
  m.set("none", std::vector<int64_t>{});
  m.set("rope.type", std::string("yarn"));
  m.set("ropes", true);
  return m;
}

TEST(Metadata, NumbersConvertOnlyWithoutLoss) {
  const Metadata m = sample();
  EXPECT_EQ(m.get_int("int"), 3);
  EXPECT_EQ(m.get_int("whole"), 4);
  EXPECT_EQ(m.get_int("real"), std::nullopt);
  EXPECT_EQ(m.get_int("huge"), std::nullopt);
  EXPECT_EQ(m.get_int("flag"), std::nullopt);
  EXPECT_EQ(m.get_double("int"), 3.0);
  EXPECT_EQ(m.get_double("text"), std::nullopt);
  EXPECT_EQ(m.get_string("text"), "hello");
  EXPECT_EQ(m.get_string("absent"), std::nullopt);
  EXPECT_EQ(m.get_bool("flag"), true);
  EXPECT_EQ(m.get_bool("int"), std::nullopt);
}

TEST(Metadata, ArraysConvertAlikeAndEmptyOnesHaveAnyType) {
  const Metadata m = sample();
  EXPECT_EQ(m.get_ints("wholes"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(m.get_ints("reals"), std::nullopt);
  EXPECT_EQ(m.get_ints("int"), std::nullopt);
  EXPECT_EQ(m.get_doubles("ints"), (std::vector<double>{1, 2}));
  EXPECT_EQ(m.get_bools("none"), std::vector<bool>());
  EXPECT_EQ(m.get_doubles("none"), std::vector<double>());
  ASSERT_NE(m.get_strings("none"), nullptr);
  EXPECT_TRUE(m.get_strings("none")->empty());
  EXPECT_EQ(m.get_strings("ints"), nullptr);
  EXPECT_EQ(m.get_strings("words")->at(0), "a");
}

TEST(Metadata, ObjectsAreFoundByPrefix) {
  const Metadata m = sample();
  EXPECT_TRUE(m.contains_object("rope"));
  EXPECT_TRUE(m.contains_object("ropes"));
  EXPECT_FALSE(m.contains_object("rop"));
  EXPECT_FALSE(m.contains_object("rope.t"));
}

TEST(Metadata, RequireNamesKeyAndFinding) {
  const Metadata m = sample();
  EXPECT_EQ(*m.require_int("int"), 3);
  EXPECT_EQ(m.require_int("absent").status().message(), "the key 'absent' is missing");
  EXPECT_EQ(m.require_int("text").status().message(), "the key 'text' should be an integer but is the string 'hello'");
  EXPECT_EQ(m.require_string("words").status().message(),
            "the key 'words' should be a string but is an array of 1 string");
  EXPECT_EQ(m.require_double("flag").status().message(), "the key 'flag' should be a number but is the boolean true");
}

}  // namespace
}  // namespace tribar::format
