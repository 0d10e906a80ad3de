// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "graph/update_graph.h"
#include "http/compress.h"
#include "support/temp_directory.h"
#include "updateservice/internal/bodies/graph_data_tarball.h"
#include "updateservice/internal/store/last_good_store.h"
#include "updateservice/internal/store/stored_inputs.h"
#include "updateservice/small_build.h"

namespace fairway::updateservice {
namespace {

using testing::acme_files;
using testing::small_build;
using testing::SmallBuild;

std::shared_ptr<const PrivateChannels> acme_rules() {
  return PrivateChannels::parse(testing::small_rules(), "rules.yaml").value();
}

std::shared_ptr<const Responses> render_small(
    const SmallBuild& build, std::shared_ptr<const PrivateChannels> rules = PrivateChannels::none(),
    std::shared_ptr<const Responses> previous = nullptr) {
  const ChannelDescriptions descriptions;
  return render({.snapshot = *build.snapshot,
                 .files = *build.inputs->files,
                 .rules = std::move(rules),
                 .descriptions = descriptions,
                 .previous = std::move(previous)});
}

const Document& document(const Responses& responses, std::string_view channel,
                         AudienceIndex audience = public_audience) {
  return *responses.find("amd64", channel, audience).document;
}

TEST(Responses, HoldsTheBodyOfEachGraphPlainAndCompressed) {
  const SmallBuild build = small_build();
  const auto responses = render_small(build);
  const Document& stable = document(*responses, "stable-4.7");
  EXPECT_EQ(*stable.body(), graph::to_cincinnati_json(build.snapshot->channel_graph("stable-4.7", "amd64")));
  EXPECT_EQ(http::gunzip(*stable.gzip()).value(), *stable.body());
  const Representation& plain = stable.representation(graph_vendor_type, false);
  EXPECT_EQ(plain.full->status(), 200);
  EXPECT_EQ(plain.full->body(), stable.body());
  EXPECT_NE(plain.full->head().find("Content-Type: application/vnd.redhat.cincinnati.v1+json\r\n"),
            std::string::npos);
  EXPECT_NE(plain.full->head().find("Cache-Control: public, max-age=60\r\n"), std::string::npos);
  EXPECT_NE(plain.full->head().find("Vary: Accept, Accept-Encoding, Origin\r\n"), std::string::npos);
  EXPECT_EQ(plain.not_modified->status(), 304);
  const Representation& gzip = stable.representation(graph_json_type, true);
  EXPECT_NE(gzip.full->head().find("Content-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_NE(gzip.full->head().find("Content-Type: application/json\r\n"), std::string::npos);
}

TEST(Responses, HasOneEmptyGraphForEverythingUnknown) {
  const auto responses = render_small(small_build());
  const Document* unknown = responses->unknown.document.get();
  EXPECT_EQ(*unknown->body(), R"({"version":1,"nodes":[],"edges":[],"conditionalEdges":[]})");
  EXPECT_EQ(&document(*responses, "nope-4.7"), unknown);
  EXPECT_EQ(responses->find("s390x", "stable-4.7", public_audience).document.get(), unknown);
  EXPECT_EQ(responses->find("amd", "stable-4.7", public_audience).document.get(), unknown);
}

TEST(Responses, SharesUnchangedBodiesWithTheOneBefore) {
  const auto first = render_small(small_build());
  const auto again = render_small(small_build(), PrivateChannels::none(), first);
  EXPECT_EQ(&document(*first, "stable-4.7"), &document(*again, "stable-4.7"));
  EXPECT_TRUE(first->same_content(*again));
  // 4.7.0 leaves candidate: the nodes of stable still list candidate for others, so both graphs change.
  const SmallBuild changed =
      small_build({{"channels/extra-4.7.yaml", "name: extra-4.7\nversions:\n- 4.7.9\n"}});
  const auto third = render_small(changed, PrivateChannels::none(), again);
  EXPECT_EQ(&document(*third, "stable-4.7"), &document(*again, "stable-4.7"));
  EXPECT_FALSE(third->same_content(*again));
}

TEST(Responses, RemembersEarlierBodiesOfEachGraph) {
  auto now = render_small(small_build());
  const std::string first = document(*now, "stable-4.7").hash();
  for (std::size_t i = 0; i < builds_kept; ++i) {
    const std::string name = "channels/z-" + std::to_string(i) + ".yaml";
    now = render_small(small_build({{name, "name: z-" + std::to_string(i) + "\nversions: [4.7.0]\n"}}),
                       PrivateChannels::none(), now);
  }
  const GraphResponse& stable = now->find("amd64", "stable-4.7", public_audience);
  ASSERT_EQ(stable.past->size(), builds_kept);
  EXPECT_EQ(stable.past->front().hash, first);
  EXPECT_EQ(document_hash(http::gunzip(*stable.past->front().gzip).value()), first);
  now = render_small(small_build(), PrivateChannels::none(), now);
  // The first body is back: it is the present one, and no longer an earlier one.
  EXPECT_EQ(document(*now, "stable-4.7").hash(), first);
  EXPECT_EQ(now->find("amd64", "stable-4.7", public_audience).past->size(), builds_kept);
  EXPECT_NE(now->find("amd64", "stable-4.7", public_audience).past->front().hash, first);
}

TEST(Responses, RemembersBodiesOfGraphsThatAreGone) {
  const SmallBuild without = small_build({{"channels/stable-4.7.yaml", ""}});
  auto now = render_small(small_build());
  const std::string stable = document(*now, "stable-4.7").hash(), empty = now->unknown.document->hash();
  const auto past_of = [&](const Responses& responses) {
    std::vector<std::string> hashes;
    for (const PastGraph& past : *responses.find_past("amd64", "stable-4.7", public_audience))
      hashes.push_back(past.hash);
    return hashes;
  };
  now = render_small(without, PrivateChannels::none(), now);
  EXPECT_EQ(&document(*now, "stable-4.7"), now->unknown.document.get());
  EXPECT_EQ(past_of(*now), std::vector{stable});
  now = render_small(without, PrivateChannels::none(), now);
  EXPECT_EQ(past_of(*now), std::vector{stable});

  const auto back = render_small(
      small_build({{"channels/stable-4.7.yaml", "name: stable-4.7\nversions: [4.7.0, 4.7.4]\n"}}),
      PrivateChannels::none(), now);
  EXPECT_EQ(past_of(*back), (std::vector{stable, empty}));
  EXPECT_TRUE(back->gone.empty());

  for (std::size_t i = 0; i < builds_kept; ++i) now = render_small(without, PrivateChannels::none(), now);
  EXPECT_TRUE(past_of(*now).empty()) << "it went too many builds ago";
}

TEST(Responses, RemembersPrivateGraphsThatAreGoneForThoseWhoMaySeeThem) {
  const auto rules = acme_rules();
  const AudienceIndex acme = rules->authenticate("Bearer acme-token").value();
  const auto before = render_small(small_build(acme_files()), rules);
  const auto now = render_small(small_build(), rules, before);
  EXPECT_EQ(now->find_past("amd64", "acme-4.7", acme)->size(), 1U);
  EXPECT_TRUE(now->find_past("amd64", "acme-4.7", public_audience)->empty());
  EXPECT_TRUE(render_small(small_build(), PrivateChannels::none(), before)->gone.empty())
      << "bodies made under other rules";
}

TEST(Responses, ForgetsEarlierBodiesWhenTheRulesChange) {
  const auto open = render_small(small_build(acme_files()));
  const auto closed = render_small(small_build(acme_files()), acme_rules(), open);
  EXPECT_TRUE(closed->find("amd64", "stable-4.7", public_audience).past->empty());
}

TEST(Responses, ShowsPrivateChannelsToThoseWhoMaySeeThemOnly) {
  const auto rules = acme_rules();
  const auto responses = render_small(small_build(acme_files()), rules);
  EXPECT_EQ(document(*responses, "acme-4.7").body(), responses->unknown.document->body());
  const AudienceIndex acme = rules->authenticate("Bearer acme-token").value();
  const Document& opened = document(*responses, "acme-4.7", acme);
  EXPECT_NE(opened.body()->find("acme-4.7,candidate-4.7"), std::string::npos);
  EXPECT_EQ(opened.headers().cache_control, "private, max-age=60");
  EXPECT_NE(opened.headers().vary.find("Authorization"), std::string::npos);
  EXPECT_EQ(*responses->audiences[acme].channels->body(),
            R"({"channels":{"acme-4.7":{},"candidate-4.7":{},"fast-4.7":{},"stable-4.7":{}}})");
  EXPECT_EQ(*responses->audiences[public_audience].channels->body(),
            R"({"channels":{"candidate-4.7":{},"fast-4.7":{},"stable-4.7":{}}})");
}

TEST(Responses, ListsDescriptionsOfGraphDataFirst) {
  const SmallBuild build = small_build(
      {{"channels/stable-4.7.yaml", "name: stable-4.7\ndescription: Its own.\nversions: [4.7.0]\n"}});
  const auto descriptions = ChannelDescriptions::parse("stable-*: other\ncandidate-*: new ones", "d").value();
  const auto responses = render({.snapshot = *build.snapshot,
                                 .files = *build.inputs->files,
                                 .rules = PrivateChannels::none(),
                                 .descriptions = descriptions});
  EXPECT_EQ(
      *responses->audiences[0].channels->body(),
      R"({"channels":{"candidate-4.7":{"description":"new ones"},"stable-4.7":{"description":"Its own."}}})");
}

TEST(Responses, ListProblemsThatLookTheSameOnce) {
  const SmallBuild build = small_build();
  const ChannelDescriptions descriptions;
  const auto problems_where = [&](bool sources_are_shown) {
    const auto responses =
        render({.snapshot = *build.snapshot,
                .files = *build.inputs->files,
                .rules = PrivateChannels::none(),
                .descriptions = descriptions,
                .problems = {{.kind = graph::problem_kind::source_unavailable, .message = "a.corp is down"},
                             {.kind = graph::problem_kind::source_unavailable, .message = "b.corp is down"}},
                .show_sources = sources_are_shown});
    const json::Value list = json::parse(*responses->audiences[0].problems->body()).value();
    return std::ranges::count_if(list.at("problems").as_array(), [](const json::Value& problem) {
      return problem.at("kind") == graph::problem_kind::source_unavailable;
    });
  };
  EXPECT_EQ(problems_where(true), 2);
  EXPECT_EQ(problems_where(false), 1) << "nobody can tell them apart";
}

graphdata::Files visible_to_public(const SmallBuild& build) {
  const auto rules = acme_rules();
  return visible_files(*build.inputs->files,
                       rules->view(rules->audiences()[public_audience], *build.snapshot));
}

/// Returns Acme's files, and all that reveal it.
graphdata::Files acme_files_and_mentions() {
  graphdata::Files files = testing::files_that_mention_acme();
  for (const auto& file : acme_files()) files.insert(file);
  return files;
}

TEST(GraphDataTarball, LeaveOutWhatIsHidden) {
  for (const SmallBuild& build : {small_build(acme_files()), small_build(acme_files_and_mentions())}) {
    const graphdata::Files left = visible_to_public(build);
    for (const auto& [path, text] : left) {
      EXPECT_EQ(to_lower(path).find("acme"), std::string::npos) << path;
      EXPECT_EQ(to_lower(text).find("acme"), std::string::npos) << path << ":\n" << text;
      EXPECT_EQ(text.find("8[.]0"), std::string::npos) << path << ":\n" << text;
    }
    EXPECT_FALSE(left.contains("channels/notes.md"));
    EXPECT_TRUE(left.contains("raw/metadata.json"));
    EXPECT_EQ(left.at("blocked-edges/4.7.0.yaml"), build.inputs->files->at("blocked-edges/4.7.0.yaml"));
  }
}

TEST(GraphDataTarball, SeeThroughEscapesAndFoldedLines) {
  graphdata::Files files = acme_files();
  files["blocked-edges/4.7.4-escaped.yaml"] =
      "to: 4.7.4\nfrom: 4[.]6[.]\nfixedIn: \"4\\x2e8.0-\\x61cme\"\nnote: \"ac\\\n  me-4\\x2e7\"\n"
      "url: https://example.com\nname: Escaped\nmessage: \"Of ac\\x6de-4.7.\"\nmatchingRules: [{type: "
      "Always}]\n";
  files["blocked-edges/4.7.4-not-understood.yaml"] = "to: 4.7.4\nfrom: (\nnote: \"ac\\x6de-4.7\"\n";
  files["channels/escaped-4.7.yaml"] =
      "name: escaped-4.7\nfeeder: {name: \"\\x61cme-4.7\"}\nplan: \"\\x61cme-4.7\"\nversions: [4.7.4]\n";
  const graphdata::Files left = visible_to_public(small_build(files));
  for (const auto& [path, text] : left) {
    const auto parsed = yaml::parse(text);
    ASSERT_TRUE(parsed) << path;
    for (const yaml::Node& document : parsed->documents) {
      const std::string meant = json::to_text(yaml::to_json(document));
      EXPECT_EQ(meant.find("acme"), std::string::npos) << path << ":\n" << text;
    }
  }
  EXPECT_NE(left.at("blocked-edges/4.7.4-escaped.yaml").find("Of withheld."), std::string::npos);
  EXPECT_EQ(left.at("blocked-edges/4.7.4-not-understood.yaml"), "---\nto: 4.7.4\n");
  EXPECT_TRUE(left.contains("channels/escaped-4.7.yaml"));
}

TEST(GraphDataTarball, KeepWhatSaysNothingHidden) {
  const graphdata::Files left = visible_to_public(small_build(acme_files_and_mentions()));
  const std::string& told = left.at("blocked-edges/4.7.0.yaml-withheld-000001.yaml");
  for (const char* part : {"\"kept\": \"yes\"", "\"from\": \"^(4[.]7[.]0)[+]\"", "Seen-withheld", "PromQL"})
    EXPECT_NE(told.find(part), std::string::npos) << part << " in " << told;
  EXPECT_EQ(told.find("fixedIn"), std::string::npos);
  EXPECT_FALSE(left.contains("blocked-edges/4.7.4-sources.yaml"));
  EXPECT_NE(left.at("channels/candidate-4.7.yaml").find("Goes on to withheld as withheld."),
            std::string::npos);
}

TEST(GraphDataTarball, LoadIdentically) {
  for (const SmallBuild& whole : {small_build(acme_files()), small_build(acme_files_and_mentions())}) {
    auto data = graphdata::load(visible_to_public(whole),
                                {.source = "tarball", .problem_url = "https://example.com"});
    ASSERT_TRUE(data) << data.error().message;
    graph::BuildInputs inputs;
    inputs.releases = whole.inputs->releases.front().releases;
    inputs.graph_data = std::make_shared<const graph::GraphData>(std::move(*data));
    const auto again = graph::build(std::move(inputs));
    const auto responses = render_small(whole, acme_rules());
    for (const char* channel : {"stable-4.7", "fast-4.7", "candidate-4.7"}) {
      EXPECT_EQ(graph::to_cincinnati_json(again->channel_graph(channel, "amd64")),
                *document(*responses, channel).body());
    }
  }
}

TEST(GraphDataTarball, AreAllThereWhereNothingIsHidden) {
  const SmallBuild build = small_build(acme_files());
  EXPECT_EQ(visible_files(*build.inputs->files, graph::View(*build.snapshot)), *build.inputs->files);
}

TEST(GraphDataTarball, MakeTheSameArchiveOfTheSameFiles) {
  const graphdata::Files files =
      testing::small_files({{"signatures/sha256=" + std::string(64, 'a') + "/signature-1", "x"}});
  EXPECT_EQ(make_archive(files), make_archive(files));
  const std::string tar = http::gunzip(make_archive(files)).value();
  EXPECT_EQ(tar.size() % 512, 0U);
  EXPECT_NE(tar.find("name: stable-4.7"), std::string::npos);
}

TEST(StoredInputs, ComeBackAsTheyWere) {
  SmallBuild build = small_build(acme_files());
  BuiltInputs inputs = *build.inputs;
  inputs.releases.front().releases.front().metadata["url"] = "https://example.com/\xc3\xa4";
  inputs.releases.front().upstreams.push_back(
      {"https://up/graph", "stable-4.7", "amd64", build.snapshot->channel_graph("stable-4.7", "amd64")});
  inputs.releases.front().problems.push_back({"upstream", {"f", 3, 4}, "message", {"c"}, {"v"}});
  const std::string bytes = pack_inputs(inputs);
  const auto again = unpack_inputs(bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(pack_inputs(**again), bytes);
  EXPECT_EQ(*(*again)->files, *inputs.files);
  EXPECT_EQ((*again)->releases.front().problems.front().place.line, 3);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 97) EXPECT_FALSE(unpack_inputs(bytes.substr(0, cut)));
}

TEST(StoredInputs, KeepWhatTheGuardKnows) {
  BuiltInputs inputs = *small_build().inputs;
  graph::WithdrawnUpdates absent;
  absent.risks.push_back({"https://example.com", "Slow", "Slow.", graph::always_rule()});
  absent.updates[{"amd64", "4.6.23", "4.7.0"}] = {0};
  absent.updates[{"amd64", "4.6.23", "4.7.4"}] = {};
  absent.overflowed = true;
  inputs.guard.absent = std::make_shared<const graph::WithdrawnUpdates>(absent);
  inputs.guard.accepted = "an id";
  inputs.guard.lifted = {{WallTime(std::chrono::hours(1000)), "4.7.0", "Slow"}};
  for (int depth = 0; depth < 6; ++depth) {
    BuiltInputs outer = inputs;
    outer.baseline = std::make_shared<const BuiltInputs>(inputs);
    inputs = outer;
  }
  const std::string bytes = pack_inputs(inputs);
  const auto again = unpack_inputs(bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(pack_inputs(**again), bytes);
  const WideningMemory& memory = (*again)->guard;
  EXPECT_EQ(memory.accepted, "an id");
  ASSERT_EQ(memory.lifted.size(), 1U);
  EXPECT_EQ(memory.lifted.front().time, WallTime(std::chrono::hours(1000)));
  EXPECT_TRUE(memory.absent->overflowed);
  EXPECT_EQ(memory.absent->updates, absent.updates);
  EXPECT_EQ(memory.absent->risks.front().matching_rules, graph::always_rule());
  ASSERT_TRUE((*again)->baseline);
  EXPECT_EQ((*again)->baseline->guard.accepted, "an id");
}

class StoreTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Responses> load(std::shared_ptr<const PrivateChannels> rules,
                                        const std::string& key) {
    const CachePolicy policy{std::chrono::seconds(60), !rules->empty()};
    return store.load_responses(std::move(rules), policy, key);
  }

  fairway::testing::TempDirectory directory;
  LastGoodStore store{directory.path()};
};

TEST_F(StoreTest, GivesResponsesBackWithTheSameEtags) {
  const auto rules = acme_rules();
  const auto responses = render_small(small_build(acme_files()), rules);
  ASSERT_TRUE(store.save_responses(*responses, "key"));
  const auto again = load(rules, "key");
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(again->same_content(*responses));
  EXPECT_EQ(document(*again, "stable-4.7").representation(0, true).etag,
            document(*responses, "stable-4.7").representation(0, true).etag);
  EXPECT_EQ(&document(*again, "acme-4.7"), again->unknown.document.get());
}

TEST_F(StoreTest, GivesNothingBackForOtherSettings) {
  ASSERT_TRUE(store.save_responses(*render_small(small_build(acme_files())), "open"));
  EXPECT_EQ(load(acme_rules(), "closed"), nullptr);
  // Even under the same key, bodies have to agree with the rules in force.
  EXPECT_EQ(load(acme_rules(), "open"), nullptr);
}

TEST_F(StoreTest, IgnoresTornAndForeignFiles) {
  const SmallBuild build = small_build();
  ASSERT_TRUE(store.save_responses(*render_small(build), "key"));
  ASSERT_TRUE(store.save_inputs(*build.inputs, "key"));
  EXPECT_NE(load(PrivateChannels::none(), "key"), nullptr);
  ASSERT_TRUE(store.load_inputs());
  EXPECT_EQ(store.load_inputs()->key, "key");
  const auto nothing_is_read = [&](const std::string& published, const std::string& inputs) {
    directory.write("last-good/published", published);
    directory.write("last-good/inputs", inputs);
    EXPECT_EQ(load(PrivateChannels::none(), "key"), nullptr);
    EXPECT_FALSE(store.load_inputs());
  };
  const std::string published = read_file(directory / "last-good/published").value();
  const std::string inputs = read_file(directory / "last-good/inputs").value();
  nothing_is_read(published.substr(0, published.size() / 2), inputs.substr(0, inputs.size() - 1));
  std::string changed = published;
  changed[published.size() - 5] ^= 1;
  nothing_is_read(changed, "");
  nothing_is_read("something else altogether", "fairway last good 2\n");
}

TEST_F(StoreTest, KeepsNoInputsThatWouldNotBeReadAgain) {
  const auto nested = [](std::size_t depth) {
    auto inputs = std::make_shared<BuiltInputs>(*small_build().inputs);
    for (; depth > 0; --depth) {
      auto outer = std::make_shared<BuiltInputs>(*small_build().inputs);
      outer->baseline = std::move(inputs);
      inputs = std::move(outer);
    }
    return inputs;
  };
  ASSERT_TRUE(store.save_inputs(*nested(most_nested_inputs), "deep"));
  const auto deep = store.load_inputs();
  ASSERT_TRUE(deep);
  EXPECT_EQ(nested_inputs(*deep->inputs), most_nested_inputs);
  EXPECT_TRUE(deep->inputs->uncompared) << "an earlier program has left out what lay deeper";
  EXPECT_FALSE(store.save_inputs(*nested(most_nested_inputs + 1), "too deep"));
  EXPECT_EQ(store.load_inputs()->key, "deep") << "what was kept before stays";
  EXPECT_FALSE(unpack_inputs(pack_inputs(*nested(most_nested_inputs + 1))));
}

TEST_F(StoreTest, RemovesWhatAKilledProcessLeftHalfWritten) {
  ASSERT_TRUE(store.save_responses(*render_small(small_build()), "key"));
  for (const std::string name : {"published.a1B2c3", "inputs.zzzzzz", "last-good.000000"}) {
    directory.write("last-good/" + name, "half");
  }
  for (const std::string name : {"published.old", "published.a1B2c3d", "other.a1B2c3", "published.a-b2c3"}) {
    directory.write("last-good/" + name, "of somebody else");
  }
  const LastGoodStore again(directory.path());
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "last-good")) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"past", "published", "published.old", "published.a1B2c3d",
                                          "other.a1B2c3", "published.a-b2c3"}));
}

TEST_F(StoreTest, RemembersWhenTheLastRefreshWasGood) {
  EXPECT_FALSE(store.load_last_good(WallTime::max()));
  const WallTime time = parse_time("2026-02-19T23:09:12Z").value();
  ASSERT_TRUE(store.save_last_good(time));
  EXPECT_EQ(store.load_last_good(time + std::chrono::hours(1)), time);
  // Written by a clock that was ahead: nothing is fresh before its time.
  EXPECT_EQ(store.load_last_good(time - std::chrono::hours(1)), time - std::chrono::hours(1));
}

}  // namespace
}  // namespace fairway::updateservice
