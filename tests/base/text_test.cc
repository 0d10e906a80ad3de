// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/metrics.h"
#include "base/pattern.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

TEST(Text, MatchesGlobsInBoundedTime) {
  EXPECT_TRUE(matches_glob("stable-*", "stable-4.7"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*-4.?", "fast-4.7"));
  EXPECT_FALSE(matches_glob("*-4.?", "fast-4.10"));
  EXPECT_FALSE(matches_glob("stable", "stable-4.7"));
  std::string stars;
  for (int i = 0; i < 50; ++i) stars += "a*";
  EXPECT_FALSE(matches_glob(stars + "b", std::string(5000, 'a')));
}

TEST(Text, KnowsWhatIsUtf8) {
  EXPECT_TRUE(is_utf8("häß €𝄞"));
  for (const std::string_view bad :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  }
}

TEST(Text, MakesAnythingPrintable) {
  EXPECT_EQ(printable("a\nb\x01\xff"), "a\\nb\\x01\\xff");
  // What terminals obey, and what turns the order of a line, beyond ASCII.
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31m\xc2\x85"
                      "b\xc2\xa0\xe2\x80\xaf"
                      "c"),
            "a\\u009b31m\\u0085b\xc2\xa0\xe2\x80\xaf"
            "c");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6"
                      "c\xe2\x80\xa8"
                      "d"),
            "a\\u202eb\\u2066c\\u2028d");
  EXPECT_EQ(printable("aaaa", 2), "aa…");
  EXPECT_EQ(printable("ééé", 2), "é…");
}

TEST(Text, SplitsTrimsAndJoins) {
  EXPECT_EQ(split("a,,b", ',').size(), 3u);
  EXPECT_EQ(split("", ',').size(), 1u);
  EXPECT_EQ(trim(" \t a b \n"), "a b");
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
}

TEST(Pattern, SearchesAnywhereAndRefusesWhatRe2DoesNot) {
  EXPECT_TRUE(Pattern::compile("1[.]0")->search("4.1.0+amd64"));
  EXPECT_FALSE(Pattern::compile("^4[.]1[.]0$")->search("4.1.0+amd64"));
  EXPECT_TRUE(Pattern::compile("")->search("anything"));
  EXPECT_FALSE(Pattern::compile("4\\..*")->matches("x4.1"));
  EXPECT_FALSE(Pattern::compile("("));
  EXPECT_FALSE(Pattern::compile("(?!0)"));
  EXPECT_FALSE(Pattern::compile("((((a{1000}){1000}){1000}){1000})"));
}

TEST(Digest, GivesSha256InHex) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, test cases 1 and 2.
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
  EXPECT_FALSE(same_secret("", "a"));
  Sha256 sha256;
  sha256.update("a");
  sha256.update("bc");
  EXPECT_EQ(sha256.hex(), sha256_hex("abc"));
}

TEST(File, ReadsBackWhatWasWrittenAndRefusesTheRest) {
  const testing::TempDirectory directory;
  const auto path = std::filesystem::path(directory.path()) / "deep" / "file";
  ASSERT_TRUE(write_file_atomically(path, "one"));
  ASSERT_TRUE(write_file_atomically(path, "two"));
  EXPECT_EQ(read_file(path).value(), "two");
  EXPECT_EQ(read_file(path, 2).error().code, ErrorCode::too_large);
  EXPECT_EQ(read_file(path.parent_path()).error().code, ErrorCode::invalid);
  EXPECT_EQ(read_file(path.string() + "x").error().code, ErrorCode::not_found);
  EXPECT_FALSE(write_file_atomically(path / "below-a-file", "x"));
  const auto missing = read_file(path.parent_path() / "a\x1b[31m\nb");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("a\\x1b[31m\\nb"), std::string::npos) << missing.error().message;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST(Metrics, GiveOneSeriesForOneNameAndSetOfLabels) {
  metrics::Registry registry;
  registry.counter("fairway_test_total", "A test.", {{"code", "200"}}).add();
  registry.counter("fairway_test_total", "A test.", {{"code", "200"}}).add(2);
  registry.gauge("fairway_test_gauge", "A gauge.").set(1.5);
  registry.histogram("fairway_test_seconds", "A histogram.", {0.1, 1}).observe(0.5);
  const std::string text = registry.text();
  EXPECT_NE(text.find("fairway_test_total{code=\"200\"} 3"), std::string::npos) << text;
  EXPECT_NE(text.find("fairway_test_gauge 1.5"), std::string::npos) << text;
  EXPECT_NE(text.find("fairway_test_seconds_bucket{le=\"1\"} 1"), std::string::npos) << text;
}

}  // namespace
}  // namespace fairway
