// SPDX-License-Identifier: Apache-2.0

// Checks with the objects of a cluster.
#include "conversion/check/check_stored.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversion/check/converter.h"
#include "conversion/stored_objects.h"

namespace fairway::conversion {
namespace {

using testing::StoredObjects;

constexpr const char* name = "widgets.example.com";

class CheckStored : public ::testing::Test {
 protected:
  CheckStored() : client_(server_.client()) {
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    for (int i = 0; i < 1'203; ++i) {
      server_.add({i % 2 == 0 ? "a" : "b", "w" + std::to_string(1'000 + i)}, i % 3 == 0 ? "v1" : "v1alpha1");
    }
  }
  Result<void> run() {
    auto definition = find_definition(*client_, "example.com", "Widget");
    EXPECT_TRUE(definition);
    return check_stored(*client_, *definition, check_,
                        [&](std::int64_t done, std::optional<std::int64_t> total) {
                          told_.emplace_back(done, total.value_or(-1));
                        });
  }

  StoredObjects server_;
  std::shared_ptr<kube::Client> client_;
  std::vector<std::pair<std::int64_t, std::int64_t>> told_;
  ConversionCheck check_{{.group = "example.com", .kind = "Widget", .to = "v1"}, {}, ask_nobody()};
};

TEST_F(CheckStored, ReadsEveryObjectOnceAndWritesNothing) {
  const auto done = run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(check_.findings().objects(), 1'203);
  EXPECT_EQ(check_.findings().faulty_objects(), 0);
  EXPECT_EQ(told_,
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{500, 1'203}, {1'000, 1'203}, {1'203, -1}}));
  EXPECT_EQ(server_.writes() + server_.patches(), 0);
}

TEST_F(CheckStored, NeedsNoConversionToReadWhereTheStoredVersionIsServed) {
  server_.spoil({"b", "w1001"}, "conversion webhook failed");  // stored in v1alpha1
  ASSERT_TRUE(run());
  EXPECT_EQ(check_.findings().objects(), 1'203);
  EXPECT_EQ(check_.findings().faulty_objects(), 0);
}

TEST_F(CheckStored, NamesAnObjectThatCannotBeRead) {
  server_.redefine(name, [](k8s::Dynamic& definition) {
    for (k8s::Editor& version : definition.edit_items("spec.versions")) {
      version.set("served", version.text("name") == "v1");
    }
  });
  server_.spoil({"b", "w1001"}, "conversion webhook for b/w1001: broken");
  const auto done = run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(check_.findings().objects(), 1'203);
  ASSERT_EQ(check_.findings().causes().size(), 1U);
  const FindingCause cause = check_.findings().causes().front();
  EXPECT_EQ(cause.kind, FindingKind::fails);
  EXPECT_EQ(cause.examples.front().object, "b/w1001");
  EXPECT_EQ(cause.cause, "reading it in v1: conversion webhook for: broken");
}

TEST_F(CheckStored, NamesAnObjectThatCannotBeReadInTheVersionOfTheOthers) {
  // It could be read in v1, as could its page: in the version to convert to, in which nothing is converted.
  server_.spoil({"b", "w1603"}, "conversion webhook for b/w1603: broken");  // stored in v1
  std::atomic<int> reads_in_v1{0};
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.starts_with("/apis/example.com/v1/")) ++reads_in_v1;
    return std::nullopt;
  });
  const auto done = run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(check_.findings().objects(), 1'203);
  ASSERT_EQ(check_.findings().causes().size(), 1U);
  const FindingCause cause = check_.findings().causes().front();
  EXPECT_EQ(cause.kind, FindingKind::fails);
  EXPECT_EQ(cause.count, 1);
  EXPECT_EQ(cause.examples.front().object, "b/w1603");
  EXPECT_EQ(cause.cause, "reading it in v1alpha1: conversion webhook for: broken");
  EXPECT_EQ(reads_in_v1, 0);
}

TEST_F(CheckStored, ReadsAStoredVersionFirst) {
  const auto definition = find_definition(*client_, "example.com", "Widget");
  ASSERT_TRUE(definition);
  const VersionSchemas schemas(*definition);
  EXPECT_EQ(version_to_read(*definition, "v1", schemas), "v1alpha1");
  EXPECT_EQ(version_to_read(*definition, "v1alpha1", schemas), "v1");
  // Of the versions that are read, one that the new definition has.
  k8s::Dynamic narrower(definition->json());
  narrower.set("spec.versions", json::Array{json::Object{{"name", "v1"}}});
  const VersionSchemas narrow{k8s::CustomResourceDefinition(narrower.json())};
  EXPECT_EQ(version_to_read(*definition, "v2", narrow), "v1");
  EXPECT_EQ(version_to_read(*definition, "v1", narrow), "v1alpha1") << "in v1 nothing would be converted";
}

TEST_F(CheckStored, HasAnErrorWhereNothingCanBeRead) {
  EXPECT_EQ(find_definition(*client_, "example.com", "Gadget").error().code, ErrorCode::not_found);
  server_.redefine(name, [](k8s::Dynamic& definition) {
    for (k8s::Editor& version : definition.edit_items("spec.versions")) version.set("served", false);
  });
  const auto done = run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::conflict);
  EXPECT_TRUE(done.error().message.contains("serves no version")) << done.error().message;
}

TEST_F(CheckStored, EndsWithTheErrorOfTheConverter) {
  ConversionCheck check({.group = "example.com", .kind = "Widget", .to = "v1"}, {},
                        [](const k8s::ConversionQuestion&) {
                          return std::unexpected(NoAnswer{{ErrorCode::unavailable, "no route"}, false});
                        });
  const auto done = check_stored(*client_, *find_definition(*client_, "example.com", "Widget"), check);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.contains("no route")) << done.error().message;
}

}  // namespace
}  // namespace fairway::conversion
