// SPDX-License-Identifier: Apache-2.0

// The public test kit: rows of a file, round trips of random objects, one test at every version.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "conversion/widgets.h"
#include "support/temp_directory.h"
#include "testing/corpus.h"
#include "testing/internal/pattern_text.h"
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
  const auto failures = check_round_trips(converters, crd, {.objects = 600});
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

/// A kind whose v1beta1 lacks `mode` of v1, and calls `size` `amount`.
k8s::CustomResourceDefinition two_versions() {
  return k8s::CustomResourceDefinition(yaml::to_json(yaml::parse(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    storage: true
    served: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      size: {type: integer}, mode: {type: string}, names: {type: array, items: {type: string}}}}}}}
  - name: v1beta1
    served: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      amount: {type: integer}, names: {type: array, items: {type: string}}}}}}}
)")
                                                         ->documents.at(0))
                                           .as_object());
}

conversion::Step renamed(const char* from, const char* to) {
  return [from, to](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    if (const json::Value* value = object.find(from)) {
      const json::Value kept = *value;
      object.erase(from);
      object.set(to, kept);
    }
    return object;
  };
}

TEST(RoundTrips, ShowTheSmallestObjectThatIsFound) {
  const auto crd = two_versions();
  conversion::Converters converters;
  converters.kind("example.com", "Thing")
      .step("v1beta1", "v1", renamed("spec.amount", "spec.size"), renamed("spec.size", "spec.amount"));
  ASSERT_TRUE(converters.prepare({crd}));
  const auto failures = check_round_trips(converters, crd);
  ASSERT_EQ(failures.size(), 1U) << join(failures, "\n");
  EXPECT_TRUE(failures[0].starts_with(
      R"(v1 to v1beta1 and back: {"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"object-)"))
      << failures[0];
  EXPECT_TRUE(failures[0].contains(R"("spec":{"mode":")"))
      << "nothing but the member that is lost: " << failures[0];
  EXPECT_TRUE(failures[0].contains(": spec.mode does not come back: it became ")) << failures[0];
  // What may be lost is named, and all else has to come back.
  EXPECT_EQ(check_round_trips(converters, crd, {.lossy = {"spec.mode"}}), std::vector<std::string>());
  EXPECT_EQ(check_round_trips(converters, crd, {.lossy = {"spec.mod"}}).size(), 1U);
}

TEST(RoundTrips, FindDefaultsThatAreNotStable) {
  const auto crd = two_versions();
  conversion::Converters converters;
  converters.kind("example.com", "Thing")
      .step("v1beta1", "v1", renamed("spec.amount", "spec.size"), renamed("spec.size", "spec.amount"))
      .defaults("v1", [](k8s::Dynamic& object) { object.set("spec.size", object.integer("spec.size") + 1); });
  ASSERT_TRUE(converters.prepare({crd}));
  const auto failures = check_round_trips(converters, crd, {.lossy = {"spec.mode"}});
  EXPECT_TRUE(join(failures, "\n").contains("defaults that are filled in once more change the object"))
      << join(failures, "\n");
}

TEST(RoundTrips, FindObjectsThatChangeWithEachTrip) {
  const auto crd = two_versions();
  conversion::Converters converters;
  converters.kind("example.com", "Thing")
      .step("v1beta1", "v1", renamed("spec.amount", "spec.size"),
            [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
              const std::int64_t size = object.integer("spec.size");
              object.erase("spec.size");
              object.set("spec.amount", size + 1);
              return object;
            });
  ASSERT_TRUE(converters.prepare({crd}));
  const auto failures = check_round_trips(converters, crd, {.lossy = {"spec"}});
  ASSERT_FALSE(failures.empty());
  EXPECT_TRUE(failures[0].contains("a second trip changes more")) << failures[0];
}

TEST(RoundTrips, TakeObjectsOfAFolder) {
  const auto crd = two_versions();
  conversion::Converters converters;
  converters.kind("example.com", "Thing")
      .step("v1beta1", "v1", renamed("spec.amount", "spec.size"), renamed("spec.size", "spec.amount"));
  ASSERT_TRUE(converters.prepare({crd}));
  const TempDirectory folder;
  folder.write("a/real.yaml",
               "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: real}\nspec: {mode: x}\n"
               "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}}\n");
  folder.write("more.json", R"({"apiVersion":"v1","kind":"List","items":[
      {"apiVersion":"example.com/v1beta1","kind":"Thing","metadata":{"name":"old"},"spec":{"amount":3}}]})");
  folder.write("notes.txt", "no object");
  const auto corpus = read_corpus(folder.path());
  ASSERT_TRUE(corpus) << corpus.error().message;
  ASSERT_EQ(corpus->size(), 3U);
  const auto failures = check_round_trips(converters, crd, {.objects = 0, .corpus = *corpus});
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_TRUE(failures[0].contains("\"real\"")) << failures[0];
  EXPECT_EQ(read_corpus(folder / "absent").error().code, ErrorCode::unavailable);
  folder.write("broken.yaml", "a: [");
  EXPECT_TRUE(read_corpus(folder.path()).error().message.contains("broken.yaml"));
}

TEST(RandomObjects, MeetPatternsFormatsAndRules) {
  const auto crd = k8s::CustomResourceDefinition(yaml::to_json(yaml::parse(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    storage: true
    served: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [name, version, hours, id, at, least, most]
            properties:
              name: {type: string, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 12}
              version: {type: string, pattern: '^v(0|[1-9]\d{0,2})\.(\d+)(?:-(alpha|beta)\.[[:digit:]]+)?$'}
              hours: {type: string, pattern: '^[^\s:]+:[^a-z]{2,3}$'}
              id: {type: string, format: uuid}
              at: {type: string, format: date-time}
              least: {type: integer, minimum: 0, maximum: 9}
              most: {type: integer, minimum: 0, maximum: 9}
            x-kubernetes-validations: [{rule: self.least <= self.most}]
)")
                                                                   ->documents.at(0))
                                                     .as_object());
  RandomObjects random(crd, "v1", 1);
  std::set<std::string> versions;
  for (int i = 0; i < 200; ++i) {
    const k8s::Dynamic object = random.next();
    EXPECT_TRUE(random.is_valid(object.json())) << object.to_text();
    EXPECT_LE(object.integer("spec.least"), object.integer("spec.most"));
    versions.emplace(object.text("spec.version"));
  }
  EXPECT_GT(versions.size(), 50U);
  EXPECT_FALSE(random.is_valid(json::Object{{"spec", json::Object{}}}));
}

TEST(PatternText, IsMatchedByItsPattern) {
  std::mt19937_64 random(1);
  const Below below = [&](std::uint64_t limit) { return random() % limit; };
  for (const char* pattern : {"", "a", "^a$", "a|b|", "(a|bc)*d+", "[a-c]{2,3}x?", R"(\d+\.\w\s\S\D\W)",
                              "[^a-z0-9]", R"([\d\-x]+)", "[]a]", "[a-]", "(?i)abc", "(?:ab)?",
                              "(?P<name>x+)", "x*?y{3}", R"(\[\]\{\})", "[[:alpha:]_][[:alnum:]]*", ".{0,5}",
                              "^([a-z0-9]|[a-z0-9][-a-z0-9]{0,61}[a-z0-9])(\\.[a-z]{2,3})+$"}) {
    const re2::RE2 expression(pattern);
    ASSERT_TRUE(expression.ok()) << pattern;
    for (int i = 0; i < 20; ++i) {
      const auto text = text_of_pattern(pattern, below);
      ASSERT_TRUE(text) << pattern;
      EXPECT_TRUE(re2::RE2::PartialMatch(*text, expression)) << pattern << " does not match " << *text;
    }
  }
  // What it does not know, and what would take for ever, is no text.
  for (const char* pattern : {R"(\pL)", "(", "[a", "a{2,1}", "(a{900}){900}", "*", "[[:nothing:]]"}) {
    EXPECT_FALSE(text_of_pattern(pattern, below)) << pattern;
  }
  std::string deep;
  for (int i = 0; i < 1'000; ++i) deep += '(';
  EXPECT_FALSE(text_of_pattern(deep, below));
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

TEST(CrdVersionTest, HasAnOldClientWriteInBetween) {
  const auto crd = two_versions();
  for (const bool keeps : {true, false}) {
    conversion::Converters converters;
    auto& kind =
        converters.kind("example.com", "Thing")
            .step("v1beta1", "v1", renamed("spec.amount", "spec.size"), renamed("spec.size", "spec.amount"));
    if (keeps) kind.keep_lost_fields();
    ASSERT_TRUE(converters.prepare({crd}));
    CrdVersionTest test{.name = "thing", .definition = crd, .with_old_client = true};
    test.seed = k8s::Dynamic::parse(R"({"apiVersion":"example.com/v1beta1","kind":"Thing",
        "metadata":{"name":"a","namespace":"b"},"spec":{"amount":1}})")
                    .value();
    // The test itself sets what the old version does not have, for the way back up.
    test.test = [](const k8s::Dynamic& object, VersionedObjects& objects) -> Result<void> {
      if (object.group_version_kind().version != "v1") return {};
      k8s::Dynamic changed(object.json());
      changed.set("spec.mode", "fast");
      auto written = objects.replace(changed);
      if (!written) return fail(written.error());
      auto old = objects.get("v1beta1", object.key());
      if (!old) return fail(old.error());
      if (auto replaced = objects.replace(*old); !replaced) return fail(replaced.error());
      const auto now = objects.get("v1", object.key());
      if (!now) return fail(now.error());
      if (now->text("spec.mode") != "fast") return conversion::invalid_field("spec.mode", "it is lost");
      return {};
    };
    const auto objects = local_objects(converters, crd);
    const auto done = run_crd_version_test(test, *objects);
    EXPECT_EQ(done.has_value(), keeps) << (done ? "" : done.error().message);
  }
  // The walk itself finds what the old client's write changes, in what a hook of v1 has set.
  conversion::Converters converters;
  converters.kind("example.com", "Thing")
      .step(
          "v1beta1", "v1",
          [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
            object.set("spec.size", object.integer("spec.amount") + 1);
            object.erase("spec.amount");
            return object;
          },
          renamed("spec.size", "spec.amount"));
  ASSERT_TRUE(converters.prepare({crd}));
  CrdVersionTest test{.name = "thing", .definition = crd, .with_old_client = true};
  test.seed = k8s::Dynamic::parse(R"({"apiVersion":"example.com/v1beta1","kind":"Thing",
      "metadata":{"name":"a","namespace":"b"},"spec":{"amount":1}})")
                  .value();
  test.test = [](const k8s::Dynamic&, VersionedObjects&) -> Result<void> { return {}; };
  const auto objects = local_objects(converters, crd);
  const auto done = run_crd_version_test(test, *objects);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.contains(
      "thing: up at v1: a client of v1beta1 has written the object as it was, and it changed"))
      << done.error().message;
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
