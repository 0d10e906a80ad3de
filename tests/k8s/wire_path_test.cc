// SPDX-License-Identifier: Apache-2.0

// Paths of an API server: read as the table says, and written again as the same bytes.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "k8s/data.h"
#include "k8s/kubectl_requests.h"
#include "k8s/wire/resource_path.h"
#include "support/shared_data.h"

namespace fairway::k8s {
namespace {

std::string_view name_of(ApiPath::Kind kind) {
  switch (kind) {
    case ApiPath::Kind::other:
      return "other";
    case ApiPath::Kind::core_versions:
      return "core_versions";
    case ApiPath::Kind::groups:
      return "groups";
    case ApiPath::Kind::group:
      return "group";
    case ApiPath::Kind::group_version:
      return "group_version";
    case ApiPath::Kind::resource:
      return "resource";
  }
  return "";
}

std::string describe(const ApiPath& path) {
  const ResourcePath& at = path.resource;
  return join({std::string(name_of(path.kind)), at.resource.group, at.resource.version, at.resource.resource,
               at.namespace_name, at.name, at.subresource, at.rest},
              " ");
}

TEST(ResourcePath, IsReadAsTheTableSays) {
  int checked = 0;
  for (const auto& row : fairway::testing::read_table(testing::data_path("wire_paths.tsv"))) {
    SCOPED_TRACE(row.at(0));
    const auto path = ApiPath::parse(row.at(0));
    ASSERT_TRUE(path) << path.error().message();
    std::vector<std::string> wanted(row.columns.begin() + 1, row.columns.end());
    for (std::string& part : wanted) {
      if (part == "-") part.clear();
    }
    wanted.resize(8);
    EXPECT_EQ(describe(*path), join(wanted, " "));
    if (path->kind != ApiPath::Kind::resource) continue;
    ++checked;
    EXPECT_TRUE(path->resource.check());
    const std::string written = path->resource.to_string();
    // A path that has another form of its own is read as the same.
    EXPECT_EQ(ApiPath::parse(written), *path) << written;
    if (!row.at(0).ends_with('/') && row.at(0).find("%2D") == std::string::npos &&
        row.at(0).find(':') == std::string::npos) {
      EXPECT_EQ(written, row.at(0));
    }
  }
  EXPECT_GT(checked, 15);
}

TEST(ResourcePath, RefusesWhatCouldMeanSomethingElse) {
  for (const auto& row : fairway::testing::read_table(testing::data_path("wire_path_errors.tsv"))) {
    SCOPED_TRACE(row.at(0));
    const auto path = ApiPath::parse(row.at(0));
    ASSERT_FALSE(path) << describe(*path);
    EXPECT_EQ(path.error().code(), 400);
    EXPECT_EQ(path.error().reason(), reason::bad_request);
    EXPECT_NE(path.error().message().find(row.at(1)), std::string_view::npos) << path.error().message();
  }
}

TEST(ResourcePath, OfTooLongANameIsRefused) {
  EXPECT_TRUE(ApiPath::parse("/api/v1/namespaces/a/pods/" + std::string(253, 'a')));
  EXPECT_FALSE(ApiPath::parse("/api/v1/namespaces/a/pods/" + std::string(254, 'a')));
  EXPECT_TRUE(ApiPath::parse("/api/v1/namespaces/" + std::string(63, 'a')));
  EXPECT_FALSE(ApiPath::parse("/api/v1/namespaces/" + std::string(64, 'a')));
  EXPECT_FALSE(ApiPath::parse("/api/v1/namespaces/" + std::string(64, 'a') + "/pods"));
}

TEST(ResourcePath, IsCheckedBeforeItIsWritten) {
  const ResourcePath good{.resource = {"apps", "v1", "deployments"}, .namespace_name = "a", .name = "b"};
  EXPECT_TRUE(good.check());
  EXPECT_EQ(good.to_string(), "/apis/apps/v1/namespaces/a/deployments/b");
  const auto fault = [&](const auto& change) {
    ResourcePath path = good;
    change(path);
    const auto checked = path.check();
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(fault([](ResourcePath& path) { path.name = "../c"; }), "'../c' is no name: may not contain '/'");
  EXPECT_EQ(fault([](ResourcePath& path) { path.namespace_name = ".."; }),
            "'..' is no namespace: may not be '..'");
  EXPECT_EQ(fault([](ResourcePath& path) { path.resource.resource = ""; }),
            "'' is no resource: may not be empty");
  EXPECT_NE(fault([](ResourcePath& path) { path.resource.resource = "watch"; }), "");
  EXPECT_NE(fault([](ResourcePath& path) { path.resource.resource = "status"; }), "");
  EXPECT_NE(fault([](ResourcePath& path) { path.name.clear(), path.subresource = "status"; }), "");
  EXPECT_NE(fault([](ResourcePath& path) { path.rest = "a"; }), "");
  EXPECT_NE(fault([](ResourcePath& path) { path.resource.resource = "namespaces"; }), "");
}

TEST(ResourcePath, OfANamespaceIsInItForAccess) {
  EXPECT_EQ(ApiPath::parse("/api/v1/namespaces/a")->resource.access_namespace(), "a");
  EXPECT_EQ(ApiPath::parse("/api/v1/namespaces/a/status")->resource.access_namespace(), "a");
  EXPECT_EQ(ApiPath::parse("/api/v1/namespaces/a/pods/b")->resource.access_namespace(), "a");
  EXPECT_EQ(ApiPath::parse("/api/v1/pods")->resource.access_namespace(), "");
}

TEST(ResourcePath, OfAllThatKubectlAsksIsReadAndWrittenAsItCame) {
  const auto file = fairway::testing::shared_path("facts/kubectl-requests.txt");
  FAIRWAY_NEEDS_SHARED(file);
  int resources = 0;
  for (const testing::KubectlRequest& request : testing::kubectl_requests(file)) {
    SCOPED_TRACE(request.path);
    const auto path = ApiPath::parse(request.path);
    ASSERT_TRUE(path) << path.error().message();
    if (path->kind != ApiPath::Kind::resource) continue;
    ++resources;
    EXPECT_EQ(path->resource.to_string(), request.path);
  }
  EXPECT_GT(resources, 20);
}

}  // namespace
}  // namespace fairway::k8s
