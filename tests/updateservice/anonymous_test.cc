// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/anonymous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fairway::updateservice {
namespace {

TEST(Anonymous, ReadsNothingOfWhereThingsComeFrom) {
  EXPECT_EQ(without_places("reading /srv/data/releases.json: Permission denied"),
            "reading (a path): Permission denied");
  EXPECT_EQ(without_places("GET https://git.internal:8443/x?a=b: status 500; 'git+file:///srv/x#main'"),
            "GET (a URL): status 500; '(a URL)'");
  EXPECT_EQ(without_places("oci://registry.internal/r:tag, (/etc/passwd)."), "(a URL), ((a path)).");
  EXPECT_EQ(without_places("blocked-edges/4.7.4.yaml: 4.7.4 / 4.7.5 and 1/2"),
            "blocked-edges/4.7.4.yaml: 4.7.4 / 4.7.5 and 1/2");
}

TEST(Anonymous, ReadsTheNamesOfFilesWithinTheGraphDataOnly) {
  const auto shown = [](const char* file) {
    return for_anonymous(
               graph::Problem{.kind = "graph-data", .place = {.file = file, .line = 3}, .message = "x"})
        .place.to_string();
  };
  EXPECT_EQ(shown("blocked-edges/4.7.4.yaml"), "blocked-edges/4.7.4.yaml:3");
  EXPECT_EQ(shown("channels/stable-4.7.yaml"), "channels/stable-4.7.yaml:3");
  EXPECT_EQ(shown("raw/metadata.json"), "raw/metadata.json:3");
  EXPECT_EQ(shown("/srv/releases.json"), "");
  EXPECT_EQ(shown("releases.json"), "");
  EXPECT_EQ(shown("oci://registry.internal/releases:4.7.4-x86_64"), "");
  EXPECT_EQ(for_anonymous(graph::Problem{.message = "all", .public_message = "less"}).message, "less");
}

TEST(Anonymous, ReadsASummaryOfWhatMayQuoteAServer) {
  constexpr std::array<std::string_view, 7> of_graph_data{"blocked-edge-not-understood",
                                                          "risk-bodies-differ",
                                                          "graph-data",
                                                          "edge-left-out",
                                                          "release-without-image",
                                                          "block-meets-nothing",
                                                          "metadata-meets-nothing"};
  for (const std::string_view kind : graph::problem_kind::all) {
    const auto shown =
        for_anonymous(graph::Problem{
                          .kind = std::string(kind),
                          .message = "it redirects to build01.corp:8443, which says: no user bob at db.corp"})
            .message;
    EXPECT_EQ(shown.contains("corp"), std::ranges::find(of_graph_data, kind) != of_graph_data.end()) << shown;
  }
  EXPECT_EQ(
      for_anonymous(graph::Problem{
                        .kind = "duplicate-version", .message = "of r.corp/x:1", .versions = {"4.7.1+amd64"}})
          .message,
      "a version is offered twice: 4.7.1+amd64 (the log says why)");
  EXPECT_EQ(for_anonymous(graph::Problem{.kind = "one of tomorrow", .message = "at h.corp:1"}).message,
            "something is wrong (the log says why)");
  graph::Explanation explanation;
  explanation.reasons.push_back(
      {.kind = "problem", .message = "r.corp/x:1 is left out", .problem = "release-left-out"});
  EXPECT_EQ(for_anonymous(explanation).reasons.front().message,
            "a release is left out, or stays as it was (the log says why)");
  graph::ExplainedUpdates updates;
  updates.updates.push_back({"4.7.0", "4.7.1", explanation});
  updates.reasons = explanation.reasons;
  updates = for_anonymous(std::move(updates));
  for (const graph::Reason* reason :
       {&updates.reasons.front(), &updates.updates.front().explanation.reasons.front()})
    EXPECT_EQ(reason->message, "a release is left out, or stays as it was (the log says why)");
}

}  // namespace
}  // namespace fairway::updateservice
