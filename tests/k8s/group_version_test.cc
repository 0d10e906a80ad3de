// SPDX-License-Identifier: Apache-2.0

#include "k8s/group_version.h"

#include <gtest/gtest.h>

#include "k8s/data.h"

namespace fairway::k8s {
namespace {

TEST(GroupVersion, ParsesAsTheTableSays) {
  for (const auto& row : fairway::testing::read_table(testing::data_path("group_version.tsv"))) {
    const auto parsed = GroupVersion::parse(row.at(0));
    if (row.at(1) == "error") {
      ASSERT_FALSE(parsed) << "group_version.tsv:" << row.line;
      EXPECT_EQ(parsed.error().code, ErrorCode::invalid);
      EXPECT_NE(parsed.error().message.find(row.at(2)), std::string::npos) << parsed.error().message;
      continue;
    }
    ASSERT_TRUE(parsed) << "group_version.tsv:" << row.line << ": " << parsed.error().message;
    EXPECT_EQ(parsed->group, row.at(1)) << "group_version.tsv:" << row.line;
    EXPECT_EQ(parsed->version, row.at(2)) << "group_version.tsv:" << row.line;
    EXPECT_EQ(parsed->to_string(), row.at(0)) << "group_version.tsv:" << row.line;
  }
}

TEST(GroupVersion, WritesKindsAndResourcesAsErrorsDo) {
  constexpr Resource deployments{"apps", "v1", "Deployment", "deployments"};
  constexpr Resource pods{"", "v1", "Pod", "pods"};
  EXPECT_EQ(deployments.group_version_kind().to_string(), "apps/v1, Kind=Deployment");
  EXPECT_EQ(deployments.group_version_kind().group_kind().to_string(), "Deployment.apps");
  EXPECT_EQ(pods.group_version_kind().group_kind().to_string(), "Pod");
  EXPECT_EQ(pods.api_version(), "v1");
  EXPECT_EQ(deployments.group_version_resource().to_string(), "apps/v1, Resource=deployments");
  EXPECT_EQ(deployments.group_version_resource().root_path(), "/apis/apps/v1");
  EXPECT_EQ(pods.group_version_resource().root_path(), "/api/v1");
}

}  // namespace
}  // namespace fairway::k8s
