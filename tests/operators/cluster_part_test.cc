// SPDX-License-Identifier: Apache-2.0

// What the status port says of ClusterVersion and Conversions: by a table, and held against the OpenAPI
// document.
#include "operators/internal/cluster_part.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "base/file.h"
#include "operators/internal/status_openapi_text.h"
#include "support/json_schema.h"

namespace fairway::operators {
namespace {

using fairway::testing::Schemas;

const json::Value& document() {
  static const json::Value parsed = json::parse(status_openapi_text).value();
  return parsed;
}

/// Returns what is wrong with a value of a schema of the document; "" for one that fits.
std::string fault(const json::Value& value, const std::string& schema) {
  return Schemas(document()).check(value, document().at_pointer("/components/schemas/" + schema), schema);
}

json::Array cases() {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/operators/data/cluster_parts.json");
  return text ? json::parse(*text).value().as_array() : json::Array{};
}

TEST(ClusterPart, SaysWhatClusterVersionSays) {
  const json::Array all = cases();
  ASSERT_GE(all.size(), 4U);
  for (const json::Value& one : all) {
    const std::string name(json::find_string(one, "name").value_or(""));
    const std::string upstream(json::find_string(one, "upstream").value_or(""));
    const json::Value& object = *json::find(one, "cluster");
    json::Value part;
    if (object.is_null()) {
      part = cluster_part(nullptr, upstream);
    } else {
      const openshift::ClusterVersion cluster(object.as_object());
      part = cluster_part(&cluster, upstream);
    }
    EXPECT_EQ(part, *json::find(one, "expected")) << name << ": " << json::to_text(part);
    EXPECT_EQ(fault(part, "Cluster"), "") << name;
  }
}

std::shared_ptr<const Migration> migration(const std::string& name, const std::string& text) {
  auto object = k8s::make<Migration>(name, "default");
  const json::Value members = json::parse(text).value();
  for (const auto& [key, value] : members.as_object()) object.set(key, value);
  return std::make_shared<const Migration>(object.release());
}

TEST(MigrationsPart, ShowsProgressAndThoseThatAreNotCompletedFirst) {
  const std::vector all{migration("a-done", R"({"metadata.generation": 1,
        "spec": {"group": "example.com", "kind": "Widget", "oldVersion": "v1alpha1", "newVersion": "v1"},
        "status": {"observedGeneration": 1, "objectsDone": 7, "objectsTotal": 7,
          "conditions": [{"type": "Completed", "status": "True", "reason": "Done", "message": "all"}]}})"),
                        migration("b-runs", R"({"metadata.generation": 2,
        "spec": {"group": "example.com", "kind": "Gadget", "oldVersion": "v1", "newVersion": "v2", "dryRun": true},
        "status": {"observedGeneration": 2, "objectsDone": 12, "objectsTotal": 40, "lastError": "it did not convert",
          "kinds": [{"definition": "gadgets.example.com", "objectsLeftOut": 3, "waitingSince": "2026-02-19T23:09:12Z", "waitingFor": "refused"}],
          "conditions": [{"type": "Completed", "status": "Unknown", "reason": "Running", "message": "12 of 40"}]}})"),
                        // Counts of another generation are of another request.
                        migration("c-changed", R"({"metadata.generation": 3,
        "spec": {"group": "example.com", "kind": "Gizmo", "oldVersion": "v1", "newVersion": "v2"},
        "status": {"observedGeneration": 2, "objectsDone": 12}})")};
  const json::Value part = migrations_part(all);
  EXPECT_EQ(fault(part, "Migrations"), "");
  const json::Array& list = json::find(part, "migrations")->as_array();
  ASSERT_EQ(list.size(), 3U);
  const k8s::View runs(list[0].as_object()), changed(list[1].as_object()), done(list[2].as_object());
  EXPECT_EQ(runs.text("name"), "b-runs");
  EXPECT_EQ(runs.integer("done"), 12);
  EXPECT_EQ(runs.integer("total"), 40);
  EXPECT_EQ(runs.integer("leftOut"), 3);
  EXPECT_EQ(runs.text("waitingFor"), "refused");
  EXPECT_EQ(runs.text("waitingSince"), "2026-02-19T23:09:12Z");
  EXPECT_EQ(runs.text("lastError"), "it did not convert");
  EXPECT_TRUE(runs.flag("dryRun"));
  EXPECT_EQ(changed.text("name"), "c-changed");
  EXPECT_FALSE(changed.has("done"));
  EXPECT_TRUE(done.flag("completed"));
}

// Whoever may write a status may write any number into it.
TEST(MigrationsPart, HasNoNegativeCounts) {
  const std::vector all{migration("m", R"({"metadata.generation": 1, "status": {
        "observedGeneration": 1, "objectsDone": -5, "objectsTotal": -7, "kinds": [
          {"objectsLeftOut": 9223372036854775807}, {"objectsLeftOut": 9223372036854775807}, {"objectsLeftOut": -1}]}})")};
  const json::Value part = migrations_part(all);
  EXPECT_EQ(fault(part, "Migrations"), "");
  const k8s::View one(json::find(part, "migrations")->as_array().at(0).as_object());
  EXPECT_EQ(one.integer("done"), 0);
  EXPECT_EQ(one.integer("total"), 0);
  EXPECT_EQ(one.integer("leftOut"), std::numeric_limits<std::int64_t>::max());
}

TEST(MigrationsPart, IsBounded) {
  std::vector<std::shared_ptr<const Migration>> all;
  for (std::size_t i = 0; i < max_shown_migrations + 5; ++i)
    all.push_back(migration("m-" + std::to_string(i), R"({"spec": {"group": "example.com"}})"));
  const json::Value part = migrations_part(all);
  EXPECT_EQ(json::find(part, "migrations")->as_array().size(), max_shown_migrations);
  EXPECT_EQ(json::find(part, "leftOut")->to_number<int>(), 5);
}

/// Returns a list of so many copies of an object, as JSON.
std::string list_of(std::size_t count, const std::string& object) {
  std::string list = "[";
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + object;
  return list + "]";
}

TEST(MigrationsPart, IsBoundedInBytes) {
  const std::string text(100'000, 'x'),
      condition = R"({"type": "T", "status": "True", "message": ")" + text + "\"}";
  const std::string body = R"({"metadata.generation": 1, "spec": {"group": ")" + text + R"(", "kind": ")" +
                           text + R"("}, "status": {"observedGeneration": 1, "lastError": ")" + text +
                           R"(", "kinds": [{"waitingSince": "2026-02-19T23:09:12Z", "waitingFor": ")" + text +
                           R"("}], "conditions": )" + list_of(20, condition) + "}}";
  std::vector<std::shared_ptr<const Migration>> all;
  for (std::size_t i = 0; i < 30; ++i) all.push_back(migration("m-" + std::to_string(i), body));
  const json::Value part = json::parse(json::to_text(migrations_part(all))).value();
  EXPECT_EQ(fault(part, "Migrations"), "");
  EXPECT_LT(json::to_text(part).size(), 300'000U);
  const json::Array& list = json::find(part, "migrations")->as_array();
  EXPECT_GT(list.size(), 5U);
  EXPECT_EQ(json::find(part, "leftOut")->to_number<std::size_t>(), all.size() - list.size());
  const std::string error(k8s::View(list.at(0).as_object()).text("lastError"));
  EXPECT_TRUE(error.starts_with("xxx") && error.ends_with("...")) << error;
}

TEST(ClusterPart, IsBoundedInBytes) {
  const std::string text(5'000, 'x');
  const std::string body =
      R"({"metadata": {"name": "version"}, "spec": {"channel": ")" + text + R"("}, "status": {"desired": )" +
      R"({"version": "4.6.23", "channels": )" + list_of(5'000, R"("stable-4.6")") +
      R"(}, "availableUpdates": )" +
      list_of(1'000, R"({"version": "4.7.4", "image": ")" + std::string(900, 'i') + "\"}") +
      R"(, "conditions": )" + list_of(100, R"({"type": "T", "status": "True", "message": ")" + text + "\"}") +
      R"(, "history": )" + list_of(10'000, R"({"state": "Completed", "version": "4.6.8"})") + "}}";
  const openshift::ClusterVersion cluster(json::parse(body).value().as_object());
  const json::Value part = json::parse(json::to_text(cluster_part(&cluster, ""))).value();
  EXPECT_EQ(fault(part, "Cluster"), "");
  EXPECT_LT(json::to_text(part).size(), 600'000U);
  const k8s::View view(part.as_object());
  EXPECT_GT(view.items("available").size(), 50U);
  EXPECT_GT(view.items("conditions").size(), 20U);
  EXPECT_GT(view.items("history").size(), 500U);
  EXPECT_EQ(view.integer("leftOut"),
            static_cast<std::int64_t>(5'000 + 1'000 + 100 + 10'000 - view.texts("channels").size() -
                                      view.items("available").size() - view.items("conditions").size() -
                                      view.items("history").size()));
}

}  // namespace
}  // namespace fairway::operators
