// SPDX-License-Identifier: Apache-2.0

// Graph data made to cost: each case ends soon and within memory, and blocks what it may have meant to block.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "graphdata/lint/lint.h"
#include "graphdata/load.h"
#include "support/frugal.h"
#include "support/small_graph.h"

namespace fairway::graphdata {
namespace {

const LoadOptions options{.source = "test"};

using testing::Frugal;

std::string number(std::size_t n) {
  return std::to_string(n);
}

std::string block(const std::string& to, const std::string& rest) {
  return "to: " + to + "\nurl: https://example.com\nname: Name\nmessage: text\n" + rest;
}

/// Loads blocked-edges files together with a good repository.
Result<graph::GraphData> load_with(const Files& files) {
  Files all = testing::small_graph_data();
  for (const auto& [path, text] : files) all.insert_or_assign(path, text);
  return load(all, options);
}

/// Returns whether every update into a version is blocked, whatever it comes from.
bool closes(const graph::GraphData& data, const std::string& version) {
  return std::ranges::any_of(data.blocks, [&](const graph::Block& one) {
    return one.effect == graph::Block::Effect::not_understood && one.to.to_string() == version;
  });
}

TEST(HostileGraphData, AliasesInManyFilesAddUpToALimit) {
  std::string bomb =
      "from: .*\nextra:\n- &a [x,x,x,x,x,x,x,x,x,x]\n- &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
      "- &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n- &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
      "matchingRules:\n- type: Always\n  more: [*d,*d,*d]\n";
  Files files;
  for (std::size_t i = 1; i <= 1'500; ++i)
    files["blocked-edges/" + number(i) + ".yaml"] = block("9.9." + number(i), bomb);
  const Frugal frugal;
  const auto data = load_with(files);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_TRUE(closes(*data, "9.9.1500") || closes(*data, "9.9.999"));
  const auto findings = lint({.files = files});
  EXPECT_FALSE(findings.empty());
}

TEST(HostileGraphData, ExpensiveExpressionsAreNotUnderstood) {
  Files files;
  for (std::size_t i = 1; i <= 3'000; ++i) {
    files["blocked-edges/" + number(i) + ".yaml"] =
        block("9.9." + number(i), "from: '(" + number(i) + "[.](a|b|[0-9]|cd){0,90}){0,10}'\n");
  }
  const Frugal frugal;
  const auto data = load_with(files);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_TRUE(closes(*data, "9.9.1"));
  EXPECT_TRUE(closes(*data, "9.9.3000"));
}

TEST(HostileGraphData, ManyCheapExpressionsAreTakenUpToALimit) {
  Files files;
  for (std::size_t i = 1; i <= 3'000; ++i)
    files["blocked-edges/" + number(10'000 + i) + ".yaml"] =
        block("9.9." + number(i), "from: 4[.]" + number(i) + "\n");
  const Frugal frugal;
  const auto data = load_with(files);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_FALSE(closes(*data, "9.9.500"));
  EXPECT_TRUE(closes(*data, "9.9.3000"));
}

TEST(HostileGraphData, AnExpressionOfRawMetadataCountsToo) {
  std::string entries;
  for (std::size_t i = 1; i <= 300; ++i) {
    entries += (i > 1 ? ",\"" : "\"") + std::string("9.9.") + number(i) +
               R"(":{"io.openshift.upgrades.graph.previous.remove_regex":"()" + number(i) +
               R"([.](a|b|[0-9]|cd){0,90}){0,10}"})";
  }
  const Frugal frugal;
  const auto data = load_with({{"raw/metadata.json", "{" + entries + "}"}});
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->metadata_faults.size(), 300U);
  EXPECT_TRUE(data->metadata_faults.front().edges.into);
  EXPECT_TRUE(data->raw_metadata.at("9.9.1").empty());
}

TEST(HostileGraphData, TargetsOfOneFileAreLimited) {
  std::string text = "to: 1.0.0\n";
  for (std::size_t i = 0; text.size() < 1'000'000; ++i) text += "---\nto: 9.9." + number(i) + "\n";
  const Frugal frugal;
  const auto whole = load_with({{"blocked-edges/a.yaml", text}});
  ASSERT_FALSE(whole);
  EXPECT_TRUE(whole.error().message.contains("blocked-edges/a.yaml")) << whole.error().message;
  EXPECT_LT(whole.error().message.size(), 2'000U);
  const auto broken = load_with({{"blocked-edges/a.yaml", "[\n" + text}});
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.contains("blocked-edges/a.yaml")) << broken.error().message;
}

TEST(HostileGraphData, ABrokenFileIsSearchedForItsTargetInLinearTime) {
  const auto repeated = [](const std::string& head, const std::string& piece, const std::string& tail = "") {
    std::string text = head;
    while (text.size() + tail.size() < 900'000) text += piece;
    return text + tail;
  };
  std::string comments;
  for (int i = 0; i < 150'000; ++i) comments += "#\n";
  for (const std::string& text :
       {repeated("[\n{", "!,"), repeated("[\n", "&"), repeated("[\n{", "&,"),
        repeated("[\n", "{? to #", "\n" + comments), repeated("[\n", ",to: #", "\n" + comments),
        repeated("[\n", "? to\n"), repeated("[\n", "to: &a !b\n")}) {
    SCOPED_TRACE(text.substr(0, 20));
    const Frugal frugal;
    EXPECT_FALSE(load_with({{"blocked-edges/a.yaml", text}}));
  }
}

TEST(HostileGraphData, RawMetadataOfManyKeysIsReadInLinearTime) {
  std::string versions, keys;
  for (std::size_t i = 0; i < 100'000; ++i) {
    versions += (i > 0 ? "," : "") + std::string("\"9.") + number(i) + ".0\":{}";
    keys += (i > 0 ? ",\"" : "\"") + std::string("k") + number(i) + "\":\"v\"";
  }
  for (const std::string& text : {"{" + versions + "}", "{\"4.1.0\":{" + keys + "}}"}) {
    const Frugal frugal;
    EXPECT_TRUE(load_with({{"raw/metadata.json", text}}));
  }
}

TEST(HostileGraphData, MetadataTooLargeToBeCheckedIsNotUnderstood) {
  std::string text = "{\"4.1.0\":{";
  for (std::size_t i = 0; text.size() < 20'000'000; ++i)
    text += (i > 0 ? ",\"" : "\"") + std::string("k") + number(i) + "\":\"v\"";
  const Frugal frugal;
  const auto data = load_with({{"raw/metadata.json", text + "}}"}});
  EXPECT_TRUE(!data || !data->metadata_faults.empty());
}

TEST(HostileGraphData, ManyRulesInOneFileAreLintedInLinearTime) {
  std::string lines = "from: .*\nmatchingRules:\n", line = "from: .*\nmatchingRules: [";
  for (int i = 0; i < 20'000; ++i) lines += "- {type: PromQL, promql: {promql: 'a b'}}\n";
  for (int i = 0; i < 12'000; ++i) {
    line += i > 0 ? ", " : "";
    line += "{type: PromQL, promql: {promql: 'a b c d e f g h i j k l m n o p q r s'}}";
  }
  for (const std::string& rules : {lines, line + "]"}) {
    const Frugal frugal(std::chrono::seconds(8));
    const auto findings =
        lint({.files = {{"version", "1.2.0"}, {"blocked-edges/a.yaml", block("9.9.9", rules + "\n")}}});
    EXPECT_FALSE(findings.empty());
  }
}

TEST(HostileGraphData, ManyFilesForOneTargetAreLintedInLinearTime) {
  Files files{{"version", "1.2.0"}, {"channels/a-1.yaml", "name: a-1\nversions: [9.9.8, 9.9.9]\n"}};
  for (std::size_t i = 0; i < 10'000; ++i) {
    files["blocked-edges/" + number(i) + "-a.yaml"] =
        block("9.9.9", "from: 9[.]9[.].*\nmatchingRules: [{type: Always}]\n");
    files["blocked-edges/" + number(i) + "-b.yaml"] = "to: 9.9.9\nfrom: 9[.]9[.].*\n";
  }
  const Frugal frugal;
  EXPECT_FALSE(lint({.files = files}).empty());
}

TEST(HostileGraphData, ChannelsThatFeedEachOtherAreLintedInLinearTime) {
  std::string versions = "versions:\n";
  for (std::size_t i = 0; i < 60'000; ++i) versions += "- 9." + number(i) + ".0\n";
  const Frugal frugal;
  lint({.files = {{"version", "1.2.0"},
                  {"channels/a-1.yaml", "name: a-1\nfeeder: {name: a-2, filter: .*}\n" + versions},
                  {"channels/a-2.yaml", "name: a-2\n" + versions}}});
}

TEST(HostileGraphData, WideAndDeepDocumentsEnd) {
  std::string wide = "x: [", deep, keys;
  while (wide.size() < 1'000'000) wide += "[],";
  while (deep.size() < 1'000'000) deep += '[';
  while (keys.size() < 1'000'000) keys += "to: 9.9.9\n";
  Files files;
  for (std::size_t i = 0; i < 20; ++i) {
    files["blocked-edges/w" + number(i) + ".yaml"] = "to: 9.9.1\n" + wide + "]\n";
    files["blocked-edges/d" + number(i) + ".yaml"] = "to: 9.9.2\nx: " + deep + "\n";
    files["blocked-edges/k" + number(i) + ".yaml"] = keys;
  }
  const Frugal frugal;
  const auto data = load_with(files);
  ASSERT_TRUE(data) << data.error().message;
  for (const char* version : {"9.9.1", "9.9.2", "9.9.9"}) EXPECT_TRUE(closes(*data, version)) << version;
  lint({.files = files});
}

}  // namespace
}  // namespace fairway::graphdata
