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

inline FetchedReleases small_releases() {
  auto list = graph::read_release_list(fairway::testing::small_release_list(), "releases.json");
  if (!list) throw std::runtime_error(list.error().message);
  FetchedReleases fetched;
  fetched.source = "releases.json";
  fetched.revision = "r1";
  fetched.releases = std::move(list->releases);
  return fetched;
}

/// The small graph data with files added or replaced; an empty text leaves a file out.
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
  inputs->files = small_files(more);
  inputs->revision = "g1";
  inputs->graph_data_source = "graph-data";
  auto data =
      graphdata::load(inputs->files, {.source = "graph-data", .problem_url = "https://example.com/problem"});
  if (!data) throw std::runtime_error(data.error().message);
  graph::BuildInputs build;
  build.releases = inputs->releases.front().releases;
  build.graph_data = std::move(*data);
  return {graph::build(std::move(build)), inputs};
}

/// Graph data with a channel `acme-4.7` that the rules of `small_rules` hide: in it stand 4.7.0 and the
/// release 4.7.4, and 4.8.0-acme that stands nowhere else.
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

inline const char* small_rules() {
  return "rules:\n- pattern: acme-*\n  basic:\n  - user: alice\n    password: sesame\n  bearer:\n  - token: "
         "acme-token\n";
}

}  // namespace fairway::updateservice::testing
