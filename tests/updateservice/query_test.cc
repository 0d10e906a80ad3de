// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/api/query.h"

#include <gtest/gtest.h>

#include "updateservice/channel_descriptions.h"
#include "updateservice/internal/api/signatures.h"
#include "updateservice/internal/bodies/document.h"

namespace fairway::updateservice {
namespace {

TEST(Query, TakesTheLastOfARepeatedKey) {
  EXPECT_EQ(Query("channel=a&channel=b").find("channel"), "b");
  EXPECT_EQ(Query("channel=a&arch=x&channel=").find("channel"), "");
}

TEST(Query, FindsOnlyWholeKeys) {
  EXPECT_EQ(Query("").find("channel"), std::nullopt);
  EXPECT_EQ(Query("channels=a&xchannel=b&chan=c").find("channel"), std::nullopt);
  EXPECT_EQ(Query("a=1&channel&b=2").find("channel"), "");
  EXPECT_EQ(Query("&&channel=a=b&&").find("channel"), "a=b");
}

TEST(Query, DecodesEscapesInKeysAndValues) {
  EXPECT_EQ(Query("ch%61nnel=stable%2D4.16").find("channel"), "stable-4.16");
  EXPECT_EQ(Query("channel=a+b").find("channel"), "a b");
  EXPECT_EQ(Query("channel=%zz").find("channel"), "%zz");
}

TEST(Query, KnowsNamesOfChannelsAndArchitectures) {
  for (const char* good : {"stable-4.16", "a", "4", "-", ".", "4.7"})
    EXPECT_TRUE(is_channel_name(good)) << good;
  for (const char* bad : {"", "stable:4.16", "Stable-4.16", "a b", "a/b", "a_b", "\xc3\xa4", "a\n"}) {
    EXPECT_FALSE(is_channel_name(bad)) << bad;
  }
  EXPECT_TRUE(is_arch_name("s390x"));
  for (const char* bad : {"", "amd-64", "AMD64", "amd64 "}) EXPECT_FALSE(is_arch_name(bad)) << bad;
}

TEST(Etag, HoldsTheHashOfTheContentWhateverTheEncoding) {
  const auto document = Document::compressible("{}", {{"a/b", "c/d"}, "public", "Accept"});
  const auto tag_of = [&](std::size_t type, bool gzip) { return document->representation(type, gzip).etag; };
  EXPECT_NE(tag_of(0, false), tag_of(0, true)) << "the bytes differ";
  for (const bool gzip : {false, true}) {
    const std::string tag = tag_of(0, gzip);
    EXPECT_EQ(tag_of(1, gzip), tag) << "the bytes are the same";
    EXPECT_EQ(etag_of(document->hash(), gzip), tag);
    EXPECT_EQ(hash_of_etag(tag), document->hash());
    EXPECT_EQ(hash_of_etag("W/" + tag), document->hash());
    EXPECT_EQ(hash_of_etag(tag.substr(1, tag.size() - 2)), document->hash());
  }
}

TEST(SignatureName, IsReadStrictly) {
  const auto name = SignatureName::parse("sha256%3Dabcdef0123/signature-12");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->digest(), "sha256:abcdef0123");
  EXPECT_EQ(name->file, "signature-12");
  for (const char* bad : {"", "sha256=ab", "sha256=ab/", "sha256=ab/signature-", "sha256=ab/signature-1/..",
                          "sha256=../signature-1", "sha256=ab/../signature-1", "..=ab/signature-1",
                          "sha256=ab/%2e%2e%2fsignature-1", "sha256=AB/signature-1",
                          "sha256=ab/signature-1%00", "sha256=ab%2f..%2f/signature-1", "sha256=ab/key.pem",
                          "/sha256=ab/signature-1", "sha256=ab//signature-1", "sha256=ab/signature-x",
                          "%zz=ab/signature-1", "sha256=ab%252f/signature-1"}) {
    EXPECT_FALSE(SignatureName::parse(bad)) << bad;
  }
}

TEST(ChannelDescriptions, TakesTheFirstPatternThatMatches) {
  const auto texts =
      ChannelDescriptions::parse("stable-4.7: this one\nstable-*: |\n  the stable ones\n", "d.yaml");
  ASSERT_TRUE(texts) << texts.error().message;
  EXPECT_EQ(texts->find("stable-4.7"), "this one");
  EXPECT_EQ(texts->find("stable-4.8"), "the stable ones");
  EXPECT_EQ(texts->find("fast-4.8"), "");
  EXPECT_TRUE(ChannelDescriptions::parse(R"({"a-*": "text"})", "d.json"));
  for (const char* bad : {"- a", "a: [b]", "a: 1\na: 2", "a: {"}) {
    EXPECT_FALSE(ChannelDescriptions::parse(bad, "d.yaml")) << bad;
  }
}

}  // namespace
}  // namespace fairway::updateservice
