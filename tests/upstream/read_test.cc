// SPDX-License-Identifier: Apache-2.0

// What an update service answers, read without any service.
#include "upstream/read.h"

#include <gtest/gtest.h>

namespace fairway::upstream {
namespace {

const std::string source = "https://updates.example/graph?channel=stable-4.7";

TEST(ReadGraph, TakesNodesAndEdges) {
  const auto read = read_graph(R"({"version":1,"nodes":[{"version":"4.6.23","payload":"r@sha256:1"},)"
                               R"({"version":"4.7.0","payload":"r@sha256:2"}],"edges":[[0,1]]})",
                               source, "stable-4.7", "amd64");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->graph.nodes.size(), 2U);
  EXPECT_EQ(read->graph.edges.size(), 1U);
  EXPECT_TRUE(read->problems.empty());
}

TEST(ReadGraph, NamesTheChannelOfAGraphWithoutNodes) {
  const auto read = read_graph(R"({"nodes":[],"edges":[]})", source, "stable-4.7", "arm64");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->graph.nodes.empty());
  ASSERT_EQ(read->problems.size(), 1U);
  EXPECT_EQ(read->problems[0].channels, std::vector<std::string>{"stable-4.7"});
  EXPECT_NE(read->problems[0].message.find("stable-4.7 for arm64"), std::string::npos);
}

TEST(ReadGraph, NeverTakesWhatItCannotReadForAGraphWithoutNodes) {
  const std::vector<std::pair<const char*, ErrorCode>> cases{
      {"<html>", ErrorCode::invalid},
      {R"({"kind":"x","value":"y"})", ErrorCode::invalid},
      {R"({"nodes":{},"edges":[]})", ErrorCode::invalid},
      {R"({"nodes":[{"version":7}],"edges":[]})", ErrorCode::invalid},
      {R"({"version":2})", ErrorCode::unsupported},
      {"", ErrorCode::invalid},
  };
  for (const auto& [text, code] : cases) {
    const auto read = read_graph(text, source, "stable-4.7", "amd64");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, code) << text;
    EXPECT_NE(read.error().message.find(source), std::string::npos) << read.error().message;
  }
}

TEST(ReadChannels, TakesNamesAndDescriptions) {
  const auto list = read_channels(
      R"({"channels":{"stable-4.8":{},"fast-4.7":{"description":"Soon.","owner":"x"}},"more":1})", source);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->channels.size(), 2U);
  EXPECT_EQ(list->channels[0].name, "fast-4.7");
  EXPECT_EQ(list->channels[0].description, "Soon.");
  EXPECT_EQ(list->channels[1].name, "stable-4.8");
  EXPECT_EQ(list->channels[1].description, "");
  EXPECT_TRUE(list->problems.empty());
}

TEST(ReadChannels, KeepsAChannelWhoseEntryIsNotUnderstood) {
  const auto list =
      read_channels(R"({"channels":{"a":null,"b":{"description":7},"c":{"description":"C"}}})", source);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->channels.size(), 3U);
  EXPECT_EQ(list->channels[2].description, "C");
  ASSERT_EQ(list->problems.size(), 2U);
  EXPECT_EQ(list->problems[0].channels, std::vector<std::string>{"a"});
  EXPECT_EQ(list->problems[1].channels, std::vector<std::string>{"b"});
}

TEST(ReadChannels, RefusesWhatIsNoList) {
  std::string many = R"({"channels":{)";
  for (int i = 0; i <= 100'000; ++i) many += (i > 0 ? ",\"c" : "\"c") + std::to_string(i) + "\":{}";
  many += "}}";
  const std::vector<std::pair<std::string, ErrorCode>> cases{
      {"<html>", ErrorCode::invalid},
      {"[]", ErrorCode::invalid},
      {"{}", ErrorCode::invalid},
      {R"({"channels":["stable-4.7"]})", ErrorCode::invalid},
      {many, ErrorCode::too_large},
      {R"({"channels":{}})" + std::string(std::size_t{16} << 20, ' '), ErrorCode::too_large},
  };
  for (const auto& [text, code] : cases) {
    const auto list = read_channels(text, source);
    ASSERT_FALSE(list) << text.substr(0, 40);
    EXPECT_EQ(list.error().code, code) << list.error().message;
    EXPECT_NE(list.error().message.find(source), std::string::npos) << list.error().message;
  }
}

}  // namespace
}  // namespace fairway::upstream
