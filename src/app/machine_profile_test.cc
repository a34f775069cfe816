#include "app/machine_profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/testing/made_up_machine.h"

namespace tribar::app {
namespace {

namespace fs = std::filesystem;

TEST(MachineProfile, JsonIsReadBackAsItWas) {
  const MachineProfile profile = made_up_profile(made_up_machine());
  const std::optional<MachineProfile> read = parse_profile(profile_json(profile));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key, profile.key);
  EXPECT_EQ(profile_json(*read), profile_json(profile));
}

TEST(MachineProfile, DamageIsNoProfile) {
  const std::string text = profile_json(made_up_profile(made_up_machine()));
  for (size_t length = 0; length < text.size(); length += 7) EXPECT_FALSE(parse_profile(text.substr(0, length)));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  EXPECT_TRUE(parse_profile(with("\"Test CPU 9000\"", "\"Another\"")));
  EXPECT_FALSE(parse_profile(with("\"format\":1", "\"format\":2")));
  EXPECT_FALSE(parse_profile(with("\"best\":500", "\"best\":0")));
  EXPECT_FALSE(parse_profile(with("\"best\":500", "\"best\":-1")));
  EXPECT_FALSE(parse_profile(with("\"best\":500", "\"best\":\"x\"")));
  EXPECT_FALSE(parse_profile(with("\"arithmetic\":\"int8\"", "\"arithmetic\":\"int9\"")));
  EXPECT_FALSE(parse_profile(with("\"threads\":4", "\"threads\":0")));
  EXPECT_FALSE(parse_profile("null"));
}

TEST(MachineProfile, EachPartOfTheKeyCounts) {
  const MachineKey key = machine_key(made_up_machine());
  const auto changed = [&](auto change) {
    Machine machine = made_up_machine();
    change(machine);
    return !(machine_key(machine) == key);
  };
  EXPECT_FALSE(changed([](Machine& m) { m.memory_available_bytes = 1; }));
  EXPECT_TRUE(changed([](Machine& m) { m.cpus.name = "x"; }));
  EXPECT_TRUE(changed([](Machine& m) { m.features.avx512_bf16 = true; }));
  EXPECT_TRUE(changed([](Machine& m) { m.amx_permission = true; }));
  EXPECT_TRUE(changed([](Machine& m) { m.cpus.allowed = {0, 1}; }));
  EXPECT_TRUE(changed([](Machine& m) { m.cpu_quota = 3.5; }));
  EXPECT_TRUE(changed([](Machine& m) { m.threads = 3; }));
  EXPECT_TRUE(changed([](Machine& m) { m.kernel_release = "6.2"; }));
}

class MachineCache : public testing::Test {
 protected:
  void SetUp() override {
    const char* before = std::getenv("XDG_CACHE_HOME");
    if (before != nullptr) before_ = before;
    // Of this process alone: tests run side by side.
    folder_ = fs::path(testing::TempDir()) / ("tribar_machine_cache_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    // Little memory, so that measuring it is short.
    machine_.memory_available_bytes = 64 << 20;
    machine_.threads = 1;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    if (before_) {
      setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    } else {
      unsetenv("XDG_CACHE_HOME");
    }
  }
  void write(std::string_view text) const {
    fs::create_directories(fs::path(machine_cache_path()).parent_path());
    std::ofstream(machine_cache_path()) << text;
  }
  std::string stored() const {
    std::ostringstream text;
    text << std::ifstream(machine_cache_path()).rdbuf();
    return text.str();
  }

  Machine machine_ = made_up_machine();
  fs::path folder_;
  std::optional<std::string> before_;
};

TEST_F(MachineCache, AHitIsNotMeasured) {
  write(profile_json(made_up_profile(machine_)));
  const Result<ProfileSource> source = machine_profile(machine_, {});
  ASSERT_TRUE(source.ok());
  EXPECT_TRUE(source->from_cache);
  EXPECT_EQ(source->profile.measured_at, "2026-01-02T03:04:05Z");
}

TEST_F(MachineCache, AMissADamageAnotherMachineAndRefreshAreMeasuredAndKept) {
  Machine other = machine_;
  other.kernel_release = "5.0";
  for (const std::string& text : {std::string(), std::string("{\"format\":1,"), profile_json(made_up_profile(other))}) {
    write(text);
    const Result<ProfileSource> source = machine_profile(machine_, {});
    ASSERT_TRUE(source.ok()) << source.status().message();
    EXPECT_FALSE(source->from_cache) << text;
    EXPECT_GT(source->profile.peaks.stream_at(1).best, 0);
    EXPECT_EQ(stored(), profile_json(source->profile) + "\n");
  }
  write(profile_json(made_up_profile(machine_)));
  EXPECT_FALSE(machine_profile(machine_, {.refresh = true})->from_cache);
  EXPECT_TRUE(machine_profile(machine_, {})->from_cache);
}

TEST_F(MachineCache, AFolderThatCannotBeMadeIsNoError) {
  std::ofstream(folder_) << "a file where the folder should be";
  EXPECT_TRUE(machine_profile(machine_, {}).ok());
}

TEST_F(MachineCache, PathFollowsTheEnvironment) {
  EXPECT_EQ(machine_cache_path(), (folder_ / "tribar/machine.json").string());
  setenv("XDG_CACHE_HOME", "relative", 1);
  const char* home = std::getenv("HOME");
  EXPECT_EQ(machine_cache_path(), home == nullptr ? "" : std::string(home) + "/.cache/tribar/machine.json");
}

}  // namespace
}  // namespace tribar::app
