#include "engine/calibration.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "engine/loaded_model.h"

namespace tribar::engine {
namespace {

namespace fs = std::filesystem;

TEST(CalibrationIds, SpreadOverTheVocabularyWithoutATokenizer) {
  for (const int64_t vocab : {int64_t{1}, int64_t{50}, int64_t{151936}}) {
    const std::vector<int32_t> ids = calibration_ids(nullptr, vocab, 32);
    ASSERT_EQ(ids.size(), 32u);
    for (const int32_t id : ids) EXPECT_TRUE(id >= 0 && id < vocab) << id;
    EXPECT_EQ(std::set<int32_t>(ids.begin(), ids.end()).size(), static_cast<size_t>(std::min<int64_t>(vocab, 32)));
  }
}

TEST(CalibrationIds, AreTextWithATokenizerAndFitTheModel) {
  const fs::path folder = fs::path(TRIBAR_TEST_DATA) / "tokenizer";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() != "tokenizer.json") continue;
    const Result<LoadedText> text = load_text(entry.path().string());
    ASSERT_TRUE(text.ok()) << entry.path();
    const text::Tokenizer& tokenizer = *text->tokenizer;
    const std::vector<int32_t> ids = calibration_ids(&tokenizer, tokenizer.vocab_size(), 24);
    ASSERT_EQ(ids.size(), 24u) << entry.path();
    std::string spelled;
    for (const int32_t id : ids) spelled += tokenizer.token_bytes(id, /*skip_special=*/true);
    EXPECT_NE(spelled.find("1887"), std::string::npos) << spelled;
    // A model with fewer rows than its tokenizer has ids.
    for (const int32_t id : calibration_ids(&tokenizer, 10, 24)) EXPECT_LT(id, 10);
  }
}

}  // namespace
}  // namespace tribar::engine
