// SPDX-License-Identifier: Apache-2.0

// Builds of small graph data for tests: files in, snapshot and inputs out, without any source.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "graph/release.h"
#include "support/small_graph.h"
#include "updateservice/builder.h"

namespace fairway::updateservice::testing {

struct SmallBuild {
  std::shared_ptr<const graph::Snapshot> snapshot;
  std::shared_ptr<const BuiltInputs> inputs;
};

inline sources::FetchedReleases small_releases() {
  auto list = graph::read_release_list(fairway::testing::small_release_list(), "releases.json");
  if (!list) throw std::runtime_error(list.error().message);
  sources::FetchedReleases fetched;
  fetched.source = "releases.json";
  fetched.revision = "r1";
  fetched.releases = std::move(list->releases);
  return fetched;
}

/// Returns the small graph data with files added or replaced; an empty text leaves a file out.
inline graphdata::Files small_files(const graphdata::Files& more = {}) {
  graphdata::Files files = fairway::testing::small_graph_data();
  for (const auto& [path, text] : more) {
    if (text.empty()) {
      files.erase(path);
    } else {
      files[path] = text;
    }
  }
  return files;
}

inline SmallBuild small_build(const graphdata::Files& more = {}) {
  auto inputs = std::make_shared<BuiltInputs>();
  inputs->releases.push_back(small_releases());
  inputs->files = std::make_shared<const graphdata::Files>(small_files(more));
  inputs->revision = "g1";
  inputs->graph_data_source = "graph-data";
  auto data =
      graphdata::load(*inputs->files, {.source = "graph-data", .problem_url = "https://example.com/problem"});
  if (!data) throw std::runtime_error(data.error().message);
  graph::BuildInputs build;
  build.releases = inputs->releases.front().releases;
  build.graph_data = std::make_shared<const graph::GraphData>(std::move(*data));
  return {graph::build(std::move(build)), inputs};
}

/// Returns graph data with a channel `acme-4.7` that the rules of `small_rules` hide: it has 4.7.0, the
/// release 4.7.4, and 4.8.0-acme, which is in no other channel.
inline graphdata::Files acme_files() {
  return {
      {"channels/acme-4.7.yaml",
       "name: acme-4.7\nfeeder: {name: acme-internal-4.7, filter: '.*'}\nversions:\n- 4.7.0\n- 4.7.4\n- "
       "4.8.0-acme\n"},
      {"channels/fast-4.7.yaml",
       "# promoted like acme-4.7\nname: fast-4.7\nfeeder:\n  name: acme-4.7\n  delay: P1D\n  filter: '.*'\n"
       "versions:\n- 4.7.0\n"},
      {"blocked-edges/4.8.0-acme.yaml", "to: 4.8.0-acme\nfrom: .*\n"},
      {"blocked-edges/4.7.4-note.yaml",
       "# seen first on acme-4.7\nto: 4.7.4\nfrom: 4[.]7[.]0\nurl: https://example.com/n\nname: "
       "Note\nmessage: Note.\n"
       "matchingRules:\n- type: Always\n"},
      {"raw/metadata.json",
       R"({"4.7.4":{"url":"https://example.com","io.openshift.upgrades.graph.previous.remove":"4.8.0-acme"},)"
       R"("4.8.0-acme":{"secret":"acme-plan"}})"},
      {"channels/notes.md", "acme-4.7 is for Acme only"},
  };
}

/// Returns files about public data, each of which mentions in its own way what only Acme may see: the channel
/// and the version of `acme_files`.
inline graphdata::Files files_that_mention_acme() {
  const auto risk = [](const std::string& name, const std::string& message, const std::string& rule) {
    return "url: https://example.com/" + name + "\nname: " + name + "\nmessage: " + message +
           "\nmatchingRules: [" + rule + "]\n";
  };
  const std::string promql = "{type: PromQL, promql: {promql: up}}";
  return {
      // In its texts, its name, further keys, and an expression with a source that everybody may see.
      {"blocked-edges/4.7.4-acme-4.7.yaml",
       "to: 4.7.4\nfrom: ^4[.](7[.]0|8[.]0-acme)[+]\nfixedIn: 4.8.0-acme\nplan-of-acme-4.7: x\nkept: yes\n" +
           risk("Seen-acme-4.7", "Seen by ACME-4.7 on v4.8.0-acme.", promql)},
      // In its rules.
      {"blocked-edges/4.7.4-rules.yaml",
       "to: 4.7.4\nfrom: .*\n" +
           risk("Ruled", "Only some.",
                "{type: PromQL, promql: {promql: 'x{version=~\"4[.]8[.]0-acme\",channel=\"acme-4.7\"}'}}")},
      // Two bodies of one risk: the message that puts them together names both files.
      {"blocked-edges/4.7.4-same-a.yaml", "to: 4.7.4\nfrom: 4[.]6[.]\n" + risk("Same", "One.", promql)},
      {"blocked-edges/4.7.4-same-acme-4.7.yaml",
       "to: 4.7.4\nfrom: 4[.]6[.]\n" + risk("Same", "Another.", promql)},
      // About no source that everybody may see.
      {"blocked-edges/4.7.4-sources.yaml", "to: 4.7.4\nfrom: 4\\.8\\.0-acme\n"},
      {"channels/candidate-4.7.yaml",
       "name: candidate-4.7\ndescription: Goes on to acme-4.7 as 4.8.0-acme.\nplan: acme-4.7\n"
       "versions:\n- 4.6.23\n- 4.7.0\n- 4.7.4\n"},
      {"raw/metadata.json",
       R"json({"4.7.4":{"url":"https://example.com/acme-4.7","of.acme-4.7":"x","about":"4.8.0-acme",)json"
       R"json("io.openshift.upgrades.graph.previous.remove":"4.8.0-acme",)json"
       R"json("io.openshift.upgrades.graph.previous.remove_regex":"4[.]8[.](0-acme|1)"},)json"
       R"json("4.7.0":{"io.openshift.upgrades.graph.previous.remove_regex":"^4[.](6[.]22|8[.]0-acme)"},)json"
       R"json("4.8.0-acme":{"secret":"acme-plan"}})json"},
      {"LICENSE", "For acme-4.7 only."},
  };
}

inline const char* small_rules() {
  return "rules:\n- pattern: acme-*\n  basic:\n  - user: alice\n    password: sesame\n  bearer:\n  - token: "
         "acme-token\n";
}

}  // namespace fairway::updateservice::testing
