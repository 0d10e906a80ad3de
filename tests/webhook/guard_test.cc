// SPDX-License-Identifier: Apache-2.0

// The guard of a conversion, as the API server has it.
#include <gtest/gtest.h>

#include "base/file.h"
#include "webhook/crd_registration.h"
#include "webhook/internal/guard_on_server.h"
#include "webhook/internal/guard_sign.h"

namespace fairway::webhook {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view name = "widgets.widgets.example.com";

k8s::CustomResourceDefinition definition() {
  const std::string file = FAIRWAY_SOURCE_DIR "/tests/conversion/data/widgets-crd.yaml";
  return read_definitions(read_file(file).value(), file).value().front();
}

/// A configuration that is a guard, with changes to its webhook.
k8s::Dynamic configuration(const json::Object& changes = {}) {
  json::Object webhook = json::parse(R"({
    "name": "widgets.widgets.example.com",
    "clientConfig": {"url": "https://127.0.0.1:9/validate", "caBundle": "QQ=="},
    "rules": [{"apiGroups": ["widgets.example.com"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"],
               "resources": ["widgets", "widgets/status"], "scope": "*"}],
    "failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}})")
                             .value()
                             .as_object();
  for (const auto& change : changes) webhook[change.key()] = change.value();
  k8s::Dynamic made;
  made.set_resource_version("7");
  made.set("webhooks", json::Array{json::Object{{"name", "another"}}, webhook});
  return made;
}

std::string gap(const json::Object& changes = {},
                const k8s::CustomResourceDefinition& on_server = definition()) {
  const Address address{.path = "/validate", .url = "https://127.0.0.1:9/validate"};
  return gap_on_server(configuration(changes), name, address, on_server);
}

json::Value rules(const char* text) {
  return json::parse(text).value();
}

TEST(Guard, SeesEachWriteOnTheServer) {
  EXPECT_EQ(gap(), "");
  const json::Object selector{{"matchLabels", json::Object{{"a", "b"}}}};
  EXPECT_EQ(gap({{"namespaceSelector", selector}}), "its namespaceSelector is not empty");
  EXPECT_EQ(gap({{"objectSelector", selector}}), "its objectSelector is not empty");
  EXPECT_EQ(gap({{"matchConditions", json::Array{json::Object{{"name", "a"}, {"expression", "true"}}}}}),
            "it has matchConditions");
  EXPECT_EQ(gap({{"failurePolicy", "Ignore"}}), "its failurePolicy is not Fail");
  EXPECT_TRUE(gap({{"clientConfig", json::Object{{"url", "https://127.0.0.1:8/validate"}}}})
                  .starts_with("its clientConfig is not that of this server"));
  EXPECT_EQ(gap({{"name", "other"}}), "it has no webhook of this name");
  const std::string lacks = "its rules do not cover each CREATE and UPDATE of widgets";
  for (
      const char* less :
      {R"([])", R"([{"apiGroups":["*"],"apiVersions":["v1"],"operations":["*"],"resources":["*/*"]}])",
       R"([{"apiGroups":["*"],"apiVersions":["*"],"operations":["CREATE"],"resources":["*/*"]}])",
       R"([{"apiGroups":["a"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}])",
       R"([{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"],"scope":"Cluster"}])"})
    EXPECT_EQ(gap({{"rules", rules(less)}}), lacks + " in each version") << less;
  EXPECT_EQ(
      gap({{"rules",
            rules(R"([{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}])")}}),
      lacks + "/status in each version");
  EXPECT_EQ(
      gap({{"rules",
            rules(R"([{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}])")}}),
      "");
  // A subresource that somebody has added to the definition.
  auto scaled = definition();
  for (k8s::Editor& version : scaled.edit_items("spec.versions"))
    version.set("subresources.scale", json::Object{});
  EXPECT_EQ(gap({}, scaled), lacks + "/scale in each version");
}

TEST(Guard, IsPatchedToSeeAll) {
  EXPECT_TRUE(patch_to_see_all(configuration(), name).empty());
  const json::Object selector{{"matchLabels", json::Object{{"a", "b"}}}};
  EXPECT_EQ(
      json::to_text(json::Value(patch_to_see_all(
          configuration({{"objectSelector", selector}, {"matchConditions", json::Array{json::Object{}}}}),
          name))),
      R"([{"op":"replace","path":"/webhooks/1/objectSelector","value":{}},)"
      R"({"op":"remove","path":"/webhooks/1/matchConditions"},)"
      R"({"op":"replace","path":"/metadata/resourceVersion","value":"7"}])");
}

TEST(Guard, IsEffectiveOnceItWasSeenForASecond) {
  GuardSightings seen;
  const SteadyTime now{};
  EXPECT_FALSE(seen.record("", now));
  EXPECT_FALSE(seen.record("", now + 999ms));
  EXPECT_TRUE(seen.record("", now + 1s));
  EXPECT_FALSE(seen.record("a selector", now + 2s));
  EXPECT_FALSE(seen.record("", now + 3s));
  EXPECT_TRUE(seen.record("", now + 4s));
}

TEST(Guard, IsTrustedForAWhileAlthoughItCannotBeRead) {
  GuardSightings seen;
  const SteadyTime now{};
  EXPECT_FALSE(seen.record_unread(now));
  EXPECT_FALSE(seen.record("", now));
  EXPECT_FALSE(seen.record_unread(now + 1s));  // it was not effective before
  EXPECT_FALSE(seen.record("", now + 2s));
  EXPECT_TRUE(seen.record("", now + 3s));
  EXPECT_TRUE(seen.record_unread(now + 4s));
  EXPECT_TRUE(seen.record_unread(now + 32s));
  EXPECT_TRUE(seen.record("", now + 32s));
  EXPECT_TRUE(seen.record_unread(now + 61s));
  EXPECT_FALSE(seen.record_unread(now + 62s));
  EXPECT_FALSE(seen.record("", now + 63s));
  EXPECT_TRUE(seen.record("", now + 64s));
  // What is read and wrong ends it at once.
  EXPECT_FALSE(seen.record("it is not there", now + 65s));
}

TEST(Guard, HasASignThatIsRenewedAndLeftBehind) {
  GuardSign needed, not_needed;
  const SteadyTime now{};
  EXPECT_FALSE(needed.is_due(now));
  EXPECT_FALSE(not_needed.is_left_behind(now + 100s));
  // Whoever needs it says so at first sight.
  needed.record("1", now);
  EXPECT_TRUE(needed.is_due(now));
  needed.record("2", now);
  EXPECT_FALSE(needed.is_due(now + 9s));
  EXPECT_TRUE(needed.is_due(now + 10s));
  // Another replica has done it.
  needed.record("3", now + 10s);
  EXPECT_FALSE(needed.is_due(now + 19s));
  EXPECT_FALSE(needed.is_stale(now + 29s));
  EXPECT_TRUE(needed.is_stale(now + 30s));
  // A guard without a sign was made a moment ago.
  needed.record("", now + 19s);
  EXPECT_TRUE(needed.is_due(now + 19s));

  not_needed.record("1", now);
  EXPECT_FALSE(not_needed.is_left_behind(now + 59s));
  not_needed.record("2", now + 59s);
  EXPECT_FALSE(not_needed.is_left_behind(now + 118s));
  not_needed.record("2", now + 119s);
  EXPECT_TRUE(not_needed.is_left_behind(now + 119s));
  not_needed.reset();
  EXPECT_FALSE(not_needed.is_left_behind(now + 120s));
  // Nobody relies on a guard that others may have removed.
  EXPECT_LT(GuardSign::stale_after + GuardSightings::trusted_unread, GuardSign::left_behind_after);
}

}  // namespace
}  // namespace fairway::webhook
