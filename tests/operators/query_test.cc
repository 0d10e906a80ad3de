// SPDX-License-Identifier: Apache-2.0

// What the update service is asked, and why it is not.
#include <gtest/gtest.h>

#include <string>

#include "operators/desired_update.h"
#include "operators/retrieval.h"
#include "support/table.h"

namespace fairway::operators {
namespace {

TEST(Query, IsReadAsTodaysOperatorReadsIt) {
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/operators/data/queries.tsv")) {
    SCOPED_TRACE("line " + std::to_string(row.line));
    auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
    cluster.set("spec.clusterID", row.at(0));
    cluster.set("spec.upstream", row.at(1));
    cluster.set("spec.channel", "stable-4.7");
    const auto query = query_of(cluster, {.version = "4.6.23", .image = "i"}, {});
    EXPECT_EQ(query ? query->cluster_id : "error", row.at(2));
    if (!query) {
      EXPECT_EQ(query.error().reason + ": " + query.error().message, row.at(3));
    }
  }
}

TEST(Query, AnUpstreamIsInvalidWhereItCannotBeRead) {
  auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  cluster.set("spec.clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a");
  cluster.set("spec.upstream", "foo");
  EXPECT_TRUE(validate_spec(cluster, false).empty());
  cluster.set("spec.upstream", ":foo");
  EXPECT_EQ(validate_spec(cluster, false).size(), 1U);
}

TEST(Query, SaysThePhraseOfEachStatus) {
  EXPECT_EQ(response_failed(418, "").message,
            "Unable to retrieve available updates: unexpected HTTP status: 418 I'm a teapot");
  EXPECT_EQ(response_failed(418, "Short and Stout").message,
            "Unable to retrieve available updates: unexpected HTTP status: 418 Short and Stout");
}

}  // namespace
}  // namespace fairway::operators
