// SPDX-License-Identifier: Apache-2.0

// What a shell completes.
#include "adm/names.h"

#include <gtest/gtest.h>

namespace fairway::adm {
namespace {

using Names = std::vector<std::string>;

openshift::ClusterVersion cluster(const char* status) {
  return openshift::ClusterVersion(json::Object{{"status", json::parse(status).value()}});
}

TEST(Names, OfUpdatesAreTheHighestFirstAndOnce) {
  EXPECT_EQ(update_names(cluster(R"({"availableUpdates":[{"version":"4.7.4"},{"version":"4.7.10"}],
    "conditionalUpdates":[{"release":{"version":"4.7.5"}},{"release":{"version":"4.7.4"}}]})")),
            (Names{"4.7.10", "4.7.5", "4.7.4"}));
  EXPECT_EQ(update_names(cluster(R"({"availableUpdates":null})")), Names{});
}

TEST(Names, OfChannelsAreThoseOfTheReleaseAndThoseDescribed) {
  const auto version = cluster(R"({"desired":{"channels":["stable-4.7","fast-4.7"]}})");
  EXPECT_EQ(channel_names(version, {k8s::make<openshift::Channel>("stable-4.7"),
                                    k8s::make<openshift::Channel>("candidate-4.7")}),
            (Names{"candidate-4.7", "fast-4.7", "stable-4.7"}));
}

TEST(Names, ThatAShellWouldExpandAreLeftOut) {
  EXPECT_EQ(
      safe_names({"4.7.4+a_B-1", "", "$(touch x)", "`x`", "a b", "a\nb", "*", "-x", "~", "a;b", "\xc3\xa4"}),
      Names{"4.7.4+a_B-1"});
}

}  // namespace
}  // namespace fairway::adm
