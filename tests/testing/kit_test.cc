// SPDX-License-Identifier: Apache-2.0

// The public test kit: rows of a file, round trips of random objects, one test at every version.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "conversion/widgets.h"
#include "testing/random_objects.h"
#include "testing/round_trip.h"
#include "testing/table_rows.h"
#include "testing/version_test.h"

namespace fairway::testing {
namespace {

std::string read(const std::string& name) {
  return read_file(std::string(FAIRWAY_SOURCE_DIR) + "/tests/conversion/data/" + name).value();
}

k8s::CustomResourceDefinition definition() {
  const auto parsed = yaml::parse(read("widgets-crd.yaml"));
  return k8s::CustomResourceDefinition(yaml::to_json(parsed->documents.at(0)).as_object());
}

TEST(TableRows, OfAFileAreChecked) {
  conversion::Converters converters;
  conversion::testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare());
  auto rows = parse_table_rows(read("../../testing/rows.yaml"));
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ(join(check_table_rows(converters, *rows), "\n"), "");

  (*rows)[0].output->set("spec.capacity.replicas", 3);
  (*rows)[1].error = "no such thing";
  (*rows)[2].error = "another text";
  EXPECT_EQ(check_table_rows(converters, *rows).size(), 3U);
}

TEST(TableRows, ThatAreWrongAreNamed) {
  const std::string input = "input: {apiVersion: a/v1, kind: A}";
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"a: 1", "rows must be a list"},
           {"- 3", "it is no mapping"},
           {"- {name: x, " + input + ", outptu: {}}", "'outptu' is not known"},
           {"- {" + input + ", error: x, to: v1}", "name is missing"},
           {"- {name: x, error: x, to: v1}", "input is missing"},
           {"- {name: x, " + input + "}", "give either output or error"},
           {"- {name: x, " + input + ", error: x}", "to is missing"},
           {"- {name: x, input: {}, error: x, to: v1}",
            "input: an API object must have the text `apiVersion`"},
           {"- {name: x", "line 2: while parsing"}}) {
    const auto rows = parse_table_rows(text);
    ASSERT_FALSE(rows) << text;
    EXPECT_NE(rows.error().message.find(says), std::string::npos) << rows.error().message;
  }
}

TEST(RoundTrips, OfRandomObjectsAreExactWhereLostFieldsAreKept) {
  const auto crd = definition();
  conversion::Converters converters;
  conversion::testing::add_widgets(converters).keep_lost_fields();
  ASSERT_TRUE(converters.prepare({crd}));
  const auto failures = check_round_trips(converters, crd, {.objects = 2000});
  EXPECT_TRUE(failures.empty()) << failures.front();
}

TEST(RoundTrips, HoldAgainstDefaultsOfTheVersionInBetween) {
  // v1 makes a class S of what says none; v1alpha1 has a tier that v1 does not know.
  const auto crd = k8s::CustomResourceDefinition(yaml::to_json(yaml::parse(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: widgets.example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    storage: true
    served: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, default: {}, properties: {
      class: {type: string, enum: [S, L], default: S}}}}}}
  - name: v1alpha1
    served: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, default: {}, properties: {
      tier: {type: string, enum: [small, large, custom]}}}}}}
)")
                                                                   ->documents.at(0))
                                                     .as_object());
  const auto up = [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    const std::string tier(object.text("spec.tier"));
    object.erase("spec.tier");
    if (tier == "small" || tier == "large") object.set("spec.class", tier == "small" ? "S" : "L");
    return object;
  };
  const auto down = [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    const std::string size(object.text("spec.class"));
    object.erase("spec.class");
    if (!size.empty()) object.set("spec.tier", size == "S" ? "small" : "large");
    return object;
  };
  for (const bool by_hook : {false, true}) {
    conversion::Converters converters;
    conversion::KindConverters& kind = converters.kind(conversion::testing::group, "Widget")
                                           .step("v1alpha1", "v1", up, down)
                                           .keep_lost_fields();
    if (by_hook) {
      kind.defaults("v1", [](k8s::Dynamic& object) {
        if (!object.has("spec.class")) object.set("spec.class", "S");
      });
    }
    ASSERT_TRUE(converters.prepare({crd}));
    const auto failures = check_round_trips(converters, crd, {.objects = 50});
    EXPECT_TRUE(failures.empty()) << failures.front();
    const auto objects = local_objects(converters, crd);
    const auto made =
        objects->create(conversion::testing::widget("v1alpha1", json::Object{{"tier", "custom"}}));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->text("spec.tier"), "custom");
    auto stored = objects->get("v1", made->key());
    EXPECT_EQ(stored->text("spec.class"), "S");
    stored->set("spec.class", "L");
    ASSERT_TRUE(objects->replace(*stored));
    EXPECT_EQ(objects->get("v1alpha1", made->key())->text("spec.tier"), "large");
  }
}

TEST(RoundTrips, FindWhatIsLostOtherwise) {
  const auto crd = definition();
  conversion::Converters converters;
  conversion::testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare({crd}));
  const auto failures = check_round_trips(converters, crd, {.objects = 50});
  ASSERT_EQ(failures.size(), 5U);
  EXPECT_NE(failures[0].find(" and back: "), std::string::npos) << failures[0];
}

TEST(RandomObjects, AreOfTheSchemaAndOfTheSeed) {
  const auto crd = definition();
  RandomObjects one(crd, "v1", 7), same(crd, "v1", 7), other(crd, "v1", 8);
  int different = 0, with_ports = 0, with_null = 0;
  for (int i = 0; i < 200; ++i) {
    const k8s::Dynamic object = one.next();
    EXPECT_EQ(object.to_text(), same.next().to_text());
    different += object.to_text() != other.next().to_text() ? 1 : 0;
    EXPECT_GE(object.integer("spec.capacity.replicas"), 0);
    if (const json::Value* ratio = object.find("spec.ratio")) {
      EXPECT_GE(ratio->as_double(), 0);
      EXPECT_LE(ratio->as_double(), 1);
    }
    EXPECT_EQ(object.has("spec.tls"), object.has("spec.tls.secret"));
    const json::Value* mode = object.find("spec.mode");
    with_null += mode != nullptr && mode->is_null() ? 1 : 0;
    std::vector<std::int64_t> ports;
    for (const k8s::View& port : object.items("spec.ports")) ports.push_back(port.integer("port"));
    with_ports += ports.size() > 1 ? 1 : 0;
    std::ranges::sort(ports);
    EXPECT_EQ(std::ranges::adjacent_find(ports), ports.end()) << object.to_text();
  }
  EXPECT_GT(different, 150);
  EXPECT_GT(with_ports, 20);
  EXPECT_GT(with_null, 2);
}

TEST(CrdVersionTest, RunsAtEveryVersionUpAndDown) {
  const auto crd = definition();
  conversion::Converters converters;
  conversion::testing::add_widgets(converters).keep_lost_fields();
  ASSERT_TRUE(converters.prepare({crd}));
  std::string visited;
  CrdVersionTest test{
      .name = "sizes",
      .definition = crd,
      .seed = conversion::testing::widget("v1alpha1", json::Object{{"size", "M"}, {"legacy", {"a", "b"}}})};
  test.test = [&](const k8s::Dynamic& object, VersionedObjects&) -> Result<void> {
    const std::string version = object.group_version_kind().version;
    visited += " " + version;
    const std::string_view size = object.text(version == "v1" ? "spec.capacity.size" : "spec.size");
    if (size != "M") return conversion::invalid_field("spec.size", "it is '" + std::string(size) + "'");
    if (version == "v1alpha1" && object.texts("spec.legacy").size() != 2)
      return conversion::invalid_field("spec.legacy", "lost");
    return {};
  };
  const auto objects = local_objects(converters, crd);
  auto done = run_crd_version_test(test, *objects);
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_EQ(visited, " v1alpha1 v1beta1 v1 v1beta1 v1alpha1");
  EXPECT_FALSE(objects->get("v1", test.seed.key())) << "the object is removed at the end";

  visited.clear();
  test.seed = conversion::testing::widget("v1beta1", json::Object{{"size", "M"}});
  test.min_version = "v1beta1";
  EXPECT_TRUE(run_crd_version_test(test, *objects));
  EXPECT_EQ(visited, " v1beta1 v1 v1beta1");
  visited.clear();
  test.max_version = "v1beta1";
  EXPECT_TRUE(run_crd_version_test(test, *objects));
  EXPECT_EQ(visited, " v1beta1");
}

TEST(CrdVersionTest, SaysWhereItFailed) {
  const auto crd = definition();
  conversion::Converters converters;
  conversion::testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare({crd}));
  CrdVersionTest test{.name = "legacy",
                      .definition = crd,
                      .seed = conversion::testing::widget("v1alpha1", json::Object{{"legacy", {"a"}}})};
  int runs = 0;
  test.test = [&](const k8s::Dynamic& object, VersionedObjects&) -> Result<void> {
    if (++runs > 1 && object.group_version_kind().version == "v1alpha1" && !object.has("spec.legacy")) {
      return conversion::invalid_field("spec.legacy", "it is lost");
    }
    return {};
  };
  const auto says = [&](const std::string& text) {
    const auto objects = local_objects(converters, crd);
    const auto done = run_crd_version_test(test, *objects);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find(text), std::string::npos) << done.error().message;
    EXPECT_TRUE(objects->create(test.seed)) << "the object was removed";
  };
  says("legacy: down at v1alpha1: spec.legacy: it is lost");
  test.min_version = "v1beta1";
  says("the seed is of version v1alpha1, and must be of v1beta1");
  test.min_version = "v0";
  says("the bound v0 is no version that is served; there are v1alpha1, v1beta1, v1");
  test.min_version = "v1";
  test.max_version = "v1alpha1";
  says("v1 is above v1alpha1 by priority");
}

}  // namespace
}  // namespace fairway::testing
