// SPDX-License-Identifier: Apache-2.0

// What older versions cannot hold: the table is tests/conversion/data/lost_fields.json.
#include "conversion/internal/lost_fields.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "conversion/webhook.h"
#include "conversion/widgets.h"
#include "k8s/equality.h"
#include "k8s/patch/json_patch.h"
#include "schema/prune.h"

namespace fairway::conversion {
namespace {

using testing::field;
using testing::widget;

json::Value parse(std::string_view text) {
  return json::parse(text).value();
}

std::string spec_of(const k8s::Dynamic& object) {
  return json::to_text(*object.find("spec"));
}

TEST(LostFields, TravelAsTheTableSays) {
  Converters converters;
  testing::add_widgets(converters).keep_lost_fields();
  ASSERT_TRUE(converters.prepare());
  const std::string annotation = lost_fields_annotation(testing::group);
  for (const json::Value& row : testing::read_cases("lost_fields.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const k8s::Dynamic before = widget("v1", field(row, "v1"));
    const auto alpha = converters.convert(before, "v1alpha1");
    ASSERT_TRUE(alpha) << alpha.error().message;
    EXPECT_TRUE(k8s::equal(*alpha->find("spec"), field(row, "alpha"))) << spec_of(*alpha);
    const json::Value* expect_annotation = json::find(row, "annotation");
    EXPECT_EQ(alpha->annotations().contains(annotation),
              expect_annotation == nullptr || expect_annotation->as_bool());

    json::Value edited = alpha->json();
    if (const json::Value* edit = json::find(row, "edit")) {
      edited = k8s::apply_json_patch(edited, *edit).value();
    }
    const auto again = converters.convert(k8s::Dynamic(edited.as_object()), "v1");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(k8s::equal(*again->find("spec"), field(row, "again"))) << spec_of(*again);
    if (json::find(row, "edit") == nullptr) {
      EXPECT_TRUE(k8s::equal(json::Value(again->json()), json::Value(before.json()))) << again->to_text();
    }
  }
}

TEST(LostFields, AreThereForAVersionInBetween) {
  Converters converters;
  testing::add_widgets(converters).keep_lost_fields();
  ASSERT_TRUE(converters.prepare());
  const auto alpha = converters.convert(
      widget("v1", parse(R"({"capacity":{"size":"S","replicas":3},"mode":"fast"})")), "v1alpha1");
  ASSERT_TRUE(alpha);
  const auto beta = converters.convert(*alpha, "v1beta1");
  ASSERT_TRUE(beta);
  EXPECT_EQ(spec_of(*beta), R"({"size":"S","replicas":3})");
  const auto v1 = converters.convert(*beta, "v1");
  EXPECT_EQ(v1->text("spec.mode"), "fast");
  EXPECT_FALSE(v1->has("metadata.annotations"));
}

TEST(LostFields, LeaveNoAnnotationWhereStepsDropMetadata) {
  const auto keep = [](const char* field) {
    return [field](const k8s::Dynamic& object) -> Result<k8s::Dynamic> {
      k8s::Dynamic bare;
      bare.set("spec", json::Object{});
      for (const std::string_view each : {"spec.a", field}) {
        if (const json::Value* value = object.find(each)) bare.set(each, *value);
      }
      return bare;
    };
  };
  Converters converters;
  converters.kind(testing::group, "Widget")
      .step("v1alpha1", "v1", keep("spec.b"), keep("spec.a"))
      .keep_lost_fields();
  ASSERT_TRUE(converters.prepare());
  const auto alpha = converters.convert(widget("v1", parse(R"({"a":1,"b":2})")), "v1alpha1");
  ASSERT_TRUE(alpha) << alpha.error().message;
  EXPECT_TRUE(alpha->has("metadata.annotations"));
  const auto again = converters.convert(*alpha, "v1");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(spec_of(*again), R"({"a":1,"b":2})");
  EXPECT_FALSE(again->has("metadata.annotations")) << again->to_text();
}

TEST(LostFields, AnAnnotationThatIsNotOursIsLeftAlone) {
  Converters converters;
  testing::add_widgets(converters).keep_lost_fields();
  ASSERT_TRUE(converters.prepare());
  const std::string annotation = lost_fields_annotation(testing::group);
  for (const std::string text : {"", "nonsense", "[]", R"({"v1":3})", "{\"v1\":{\"spec.mode\":"}) {
    k8s::Dynamic object = widget("v1alpha1", parse(R"({"size":"S"})"));
    object.set_annotation(annotation, text);
    const auto converted = converters.convert(object, "v1");
    ASSERT_TRUE(converted) << converted.error().message;
    EXPECT_EQ(converted->annotation(annotation), text);
  }
  for (
      const std::string text :
      {R"({"v1":{"metadata.name":{"value":"evil"},"kind":{"value":"x"},"[0]":{"value":1},"a..b":{"value":1}}})",
       R"({"v1":{"spec.mode":{},"spec.capacity":7,"spec[3]":{"value":1},"spec.ports[0]":{"value":1,"base":2}}})"}) {
    k8s::Dynamic object = widget("v1alpha1", parse(R"({"size":"S"})"));
    object.set_annotation(annotation, text);
    const auto converted = converters.convert(object, "v1");
    ASSERT_TRUE(converted) << converted.error().message;
    EXPECT_EQ(spec_of(*converted), R"({"capacity":{"size":"S"}})");
    EXPECT_EQ(converted->name(), "one");
    EXPECT_FALSE(converted->has("metadata.annotations"));
  }
}

TEST(LostFields, ThatAreTooLongFailTheObjectByName) {
  Converters converters;
  testing::add_widgets(converters).keep_lost_fields();
  ASSERT_TRUE(converters.prepare());
  json::Object spec;
  spec["tls"] = json::Object{{"secret", std::string(max_annotation_bytes, 'x')}};
  const auto failed = converters.convert(widget("v1", spec), "v1beta1");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::too_large);
  for (const std::string part :
       {"Widget default/one", "conversion.fairway.dev/widgets.example.com", "262144"}) {
    EXPECT_NE(failed.error().message.find(part), std::string::npos) << failed.error().message;
  }
}

TEST(LostFields, AreFoundWhereTheServerPrunesWhatAStepLeaves) {
  // The step leaves spec.mode in the older version, whose schema does not have it.
  auto definition = k8s::make<k8s::CustomResourceDefinition>("widgets.widgets.example.com");
  definition.set("spec.group", testing::group);
  definition.set("spec.names.kind", "Widget");
  for (const auto& [name, schema] : std::vector<std::pair<std::string, std::string>>{
           {"v1", R"({"properties":{"spec":{"properties":{"mode":{},"rules":{"type":"array",
              "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],
              "items":{"properties":{"port":{},"note":{}}}}}}}})"},
           {"v1beta1",
            R"({"properties":{"spec":{"properties":{"rules":{"items":{"properties":{"port":{}}}}}}}})"}}) {
    k8s::Editor version = definition.append("spec.versions");
    version.set("name", name);
    version.set("schema.openAPIV3Schema", parse(schema));
  }
  Converters converters;
  converters.kind(testing::group, "Widget").same("v1beta1", "v1").keep_lost_fields();
  ASSERT_TRUE(converters.prepare({definition}));
  const json::Value spec =
      parse(R"({"mode":"fast","rules":[{"port":1,"note":"one"},{"port":2,"note":"two"}]})");
  auto beta = converters.convert(widget("v1", spec), "v1beta1");
  ASSERT_TRUE(beta) << beta.error().message;
  EXPECT_TRUE(beta->has("spec.mode")) << "the reply keeps what the server may prune";
  schema::prune(beta->json(), *converters.kinds().front().schema("v1beta1"));
  EXPECT_EQ(spec_of(*beta), R"({"rules":[{"port":1},{"port":2}]})");
  std::swap(beta->array("spec.rules")[0], beta->array("spec.rules")[1]);
  const auto again = converters.convert(*beta, "v1");
  ASSERT_TRUE(again);
  EXPECT_TRUE(k8s::equal(*again->find("spec"), parse(R"({"mode":"fast",
      "rules":[{"port":2,"note":"two"},{"port":1,"note":"one"}]})")))
      << spec_of(*again);
}

/// v1 holds spec.mode and status.phase, v1alpha1 neither.
k8s::CustomResourceDefinition thing_definition(bool has_status_subresource) {
  auto definition = k8s::make<k8s::CustomResourceDefinition>("widgets.widgets.example.com");
  definition.set("spec.group", testing::group);
  definition.set("spec.names.kind", "Widget");
  for (const auto& [name, schema] : std::vector<std::pair<std::string, std::string>>{
           {"v1", R"({"properties":{
              "spec":{"type":"object","required":["size"],"properties":{
                "mode":{"type":"string","enum":["fast","slow"]},
                "size":{"type":"string","maxLength":2,"pattern":"^[A-Z]+$"},
                "count":{"type":"integer","minimum":0,"maximum":9},
                "ports":{"type":"array","maxItems":2,"items":{"type":"object","required":["name"],
                  "properties":{"name":{"type":"string"},"port":{"x-kubernetes-int-or-string":true}}}}}},
              "status":{"type":"object","properties":{"phase":{"type":"string"}}}}})"},
           {"v1alpha1",
            R"({"properties":{"spec":{"properties":{"size":{}}},"status":{"type":"object"}}})"}}) {
    k8s::Editor version = definition.append("spec.versions");
    version.set("name", name);
    version.set("schema.openAPIV3Schema", parse(schema));
    if (has_status_subresource) version.set("subresources.status", json::Object{});
  }
  return definition;
}

k8s::Dynamic carrying(std::string_view entries) {
  k8s::Dynamic object = widget("v1alpha1", parse(R"({"size":"S"})"));
  object.set("status", json::Object{});
  object.set_annotation(lost_fields_annotation(testing::group), "{\"v1\":" + std::string(entries) + "}");
  return object;
}

TEST(LostFields, OfStatusAreNotTakenFromObjectAnnotations) {
  const std::vector<std::string> forged = {R"({"status":{"value":{"phase":"Approved"}}})",
                                           R"({"status.phase":{"value":"Approved"}})",
                                           R"({"[\"status\"].phase":{"value":"Approved"}})",
                                           R"({"status":{"value":{"phase":"Approved"},"base":{}}})"};
  for (const bool is_subresource : {true, false}) {
    Converters converters;
    converters.kind(testing::group, "Widget").same("v1alpha1", "v1").keep_lost_fields();
    ASSERT_TRUE(converters.prepare({thing_definition(is_subresource)}));
    for (const std::string& entries : forged) {
      const auto stored = converters.convert(carrying(entries), "v1");
      ASSERT_TRUE(stored) << stored.error().message;
      EXPECT_EQ(stored->text("status.phase"), is_subresource ? "" : "Approved") << entries;
    }
  }
  // Nobody says what status is.
  Converters converters;
  converters.kind(testing::group, "Widget").same("v1alpha1", "v1").keep_lost_fields();
  ASSERT_TRUE(converters.prepare());
  for (const std::string& entries : forged) {
    EXPECT_EQ(converters.convert(carrying(entries), "v1")->text("status.phase"), "") << entries;
  }
}

TEST(LostFields, OfStatusComeBackWhereWritesOfThemAreGuarded) {
  Converters converters;
  const KindConverters& kind =
      converters.kind(testing::group, "Widget").same("v1alpha1", "v1").keep_lost_status();
  ASSERT_TRUE(converters.prepare({thing_definition(true)}));
  k8s::Dynamic approved = widget("v1", parse(R"({"size":"S","mode":"fast"})"));
  approved.set("status.phase", "Approved");
  auto alpha = converters.convert(approved, "v1alpha1");
  ASSERT_TRUE(alpha) << alpha.error().message;
  schema::prune(alpha->json(), *kind.schema("v1alpha1"));
  EXPECT_EQ(converters.convert(*alpha, "v1")->text("status.phase"), "Approved");

  k8s::Dynamic bare = *alpha, resized = *alpha;
  bare.remove_annotation(lost_fields_annotation(testing::group));
  resized.set("spec.size", "M");
  EXPECT_TRUE(kind.validate(resized, &*alpha));
  EXPECT_TRUE(kind.validate(bare, nullptr));
  EXPECT_TRUE(kind.validate(carrying(R"({"spec.mode":{"value":"slow"}})"), &bare));
  for (const auto& [object, old] : std::vector<std::pair<const k8s::Dynamic*, const k8s::Dynamic*>>{
           {&*alpha, nullptr}, {&*alpha, &bare}, {&bare, &*alpha}}) {
    const auto refused = kind.validate(*object, old);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("fields of status"), std::string::npos) << refused.error().message;
  }
  EXPECT_FALSE(kind.validate(carrying(R"({"[\"status\"].phase":{"value":"Approved"}})"), &bare));

  // Shown in another version than it was written in, the object is one whose annotation has been read
  // already.
  for (const std::string written : {"v1", "v1alpha1"}) {
    json::Object request{
        {"operation", "UPDATE"}, {"object", approved.json()}, {"oldObject", approved.json()}};
    for (const auto& [name, version] :
         {std::pair<const char*, std::string>{"kind", "v1"}, {"requestKind", written}}) {
      request[name] = json::Object{{"group", testing::group}, {"version", version}, {"kind", "Widget"}};
    }
    const auto answer = validate_object(converters, {request, webhook::AdmissionOperation::update});
    EXPECT_EQ(answer.allowed, written == "v1") << written;
    EXPECT_EQ(answer.status.message().contains("matchPolicy: Exact"), !answer.allowed);
  }
}

TEST(LostFields, ComeBackOnlyAsTheSchemaOfTheirVersionAllows) {
  Converters converters;
  converters.kind(testing::group, "Widget").same("v1alpha1", "v1").keep_lost_fields();
  ASSERT_TRUE(converters.prepare({thing_definition(true)}));
  const std::string untouched = R"({"size":"S"})";
  for (
      const auto& [entries, spec] : std::vector<std::pair<std::string, std::string>>{
          {R"({"spec.mode":{"value":"slow"},"spec.count":{"value":9},"spec.ports":{"value":[{"name":"a"}]}})",
           R"({"size":"S","mode":"slow","count":9,"ports":[{"name":"a"}]})"},
          {R"({"spec.size":{"value":"XL","base":"S"}})", R"({"size":"XL"})"},
          {R"({"spec.mode":{"value":12345}})", untouched},
          {R"({"spec.mode":{"value":"warp"}})", untouched},
          {R"({"spec.mode":{"value":null}})", untouched},
          {R"({"spec.count":{"value":10}})", untouched},
          {R"({"spec.count":{"value":-1}})", untouched},
          {R"({"spec.count":{"value":1.5}})", untouched},
          {R"({"spec.size":{"value":"XXL","base":"S"}})", untouched},
          {R"({"spec.size":{"value":"s","base":"S"}})", untouched},
          {R"({"spec.size":{"base":"S"}})", untouched},
          {R"({"spec":{"value":{"mode":"fast","size":7}}})", untouched},
          {R"({"spec":{"value":{"mode":"fast"},"base":{"size":"S"}}})", untouched},
          {R"({"spec.ports":{"value":[{"name":"a"},{"name":"b"},{"name":"c"}]}})", untouched},
          {R"({"spec.ports":{"value":[{"port":1}]}})", untouched},
          {R"({"spec.ports":{"value":[{"name":"a","port":[]}]}})", untouched},
          {R"({"spec.ports":{"value":[{"name":"a"}]},"spec.ports[name=\"b\"]":{"value":{"name":"b"},"at":0},
                "spec.ports[name=\"c\"]":{"value":{"name":"c"},"at":0}})",
           R"({"size":"S","ports":[{"name":"b"},{"name":"a"}]})"}}) {
    const auto stored = converters.convert(carrying(entries), "v1");
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_TRUE(k8s::equal(*stored->find("spec"), parse(spec))) << entries << " gave " << spec_of(*stored);
  }
}

TEST(LostFields, ThatSomebodyMadeUpCostNoMoreThanThoseThatWereSaved) {
  std::string items, by_place, by_key, one_item;
  for (int i = 0; i < 20'000; ++i) items += (i > 0 ? "," : "") + std::to_string(i % 7);
  for (int i = 0; i < 3'000; ++i) {
    const std::string comma = i > 0 ? "," : "";
    by_place += comma + "\"spec.l[" + std::to_string(900'000 + i) + R"(]":{"value":1,"baseDigest":"x"})";
    by_key += comma + "\"spec.l[name=" + std::to_string(i) + R"(].a":{"value":1})";
    one_item += comma + "\"spec.l[" + std::string(static_cast<std::size_t>(i % 60), '0') + "0]" +
                std::string(static_cast<std::size_t>(i / 60), ' ') + R"(":{"value":1,"baseDigest":"x"})";
  }
  const std::string big = "\"" + std::string(1 << 20, 'b') + "\"";
  const SteadyTime begin = Clock::system().steady();
  for (const auto& [list, entries] : std::vector<std::pair<std::string, std::string>>{
           {items, by_place}, {items, by_key}, {big, one_item}}) {
    json::Object object = parse(R"({"spec":{"l":[)" + list + "]}}").as_object();
    const json::Object before = object;
    restore_lost_fields(object, parse("{" + entries + "}").as_object(), nullptr, LostStatus::dropped);
    EXPECT_EQ(object, before);
  }
  // It took minutes; what is far too much on any machine is seconds.
  EXPECT_LT(Clock::system().steady() - begin, std::chrono::seconds(20));
}

TEST(LostFields, OfManyItemsThatMovedComeBackToEach) {
  json::Array own, back;
  for (std::int64_t i = 0; i < 500; ++i) {
    own.push_back(json::Object{{"port", i / 2}, {"protocol", i % 2 == 0 ? "TCP" : "UDP"}});
    back.push_back(json::Object{{"port", i / 2}});
  }
  const auto object = [](const json::Array& list) {
    return json::Object{{"spec", json::Object{{"ports", list}}}};
  };
  const json::Object lost = find_lost_fields(object(own), object(back), nullptr);
  ASSERT_EQ(lost.size(), 500U);
  json::Array moved(back.begin() + 10, back.end()), expected(own.begin() + 10, own.end());
  json::Object restored = object(moved);
  restore_lost_fields(restored, lost, nullptr, LostStatus::dropped);
  EXPECT_TRUE(k8s::equal(json::Value(restored), json::Value(object(expected)))) << json::to_text(restored);
}

TEST(LostFields, OfLongValuesAreRememberedByDigest) {
  const auto object = [](const std::string& text) { return parse(text).as_object(); };
  const std::string items =
      R"(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
      {"z":1,"a":"cccccccccccccccccccccccccc"}])";
  const json::Object own = object(R"({"spec":{"list":["x"],"n":1}})");
  const json::Object back = object(R"({"spec":{"n":1,"list":)" + items + "}}");
  const json::Object lost = find_lost_fields(own, back, nullptr);
  EXPECT_TRUE(lost.at("spec.list").as_object().contains("baseDigest")) << json::to_text(lost);
  json::Object restored = object(R"({"spec":{"list":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",{"a":"cccccccccccccccccccccccccc","z":1.0}],"n":1}})");
  restore_lost_fields(restored, lost, nullptr, LostStatus::dropped);
  EXPECT_TRUE(k8s::equal(json::Value(restored), json::Value(own))) << json::to_text(restored);
}

const std::vector<std::string>& any_specs() {
  static const std::vector<std::string> specs = {
      R"({})",
      R"({"a":null})",
      R"({"a":1})",
      R"({"a":1.5,"b":[]})",
      R"({"a":{"b.c":{"d":[1,2]}}})",
      R"({"a":{"b.c":{"d":[1,2,3]}},"e":"x"})",
      R"({"a":{"b.c":{}}})",
      R"({"l":[{"name":"a","x":1},{"name":"b","x":2}]})",
      R"({"l":[{"name":"b","x":2}]})",
      R"({"l":[{"name":"b"},{"name":"a"}]})",
      R"({"l":[{"name":"a"},{"name":"a"}]})",
      R"({"l":[{"name":"a","x":{"l":[{"name":"q"},{"name":"r","y":1}]}},{"name":"b"},{"name":"c"}]})",
      R"({"l":[{"name":"a","x":{"l":[{"name":"r"}]}},{"name":"c","z":1}]})",
      R"({"l":[1,2]})",
      R"({"l":[]})",
      R"({"l":[{"x":1},{"x":1}]})",
      R"({"l":[{"x":2},{"x":1}]})",
      R"({"l":[{"x":1,"y":1},{"x":1,"y":2}]})",
      R"({"l":{"name":"a"}})",
      R"({"l":[[{"name":"a"}],[1]]})",
      R"({"l":[[{"name":"b"}],[2]]})"};
  return specs;
}

TEST(LostFields, AnyTwoObjectsDifferInWhatBringsTheOneBack) {
  for (const std::string& first : any_specs()) {
    for (const std::string& second : any_specs()) {
      const json::Object own = json::Object{{"kind", "A"}, {"spec", parse(first)}};
      json::Object back = json::Object{{"kind", "B"}, {"spec", parse(second)}};
      const json::Object lost = find_lost_fields(own, back, nullptr);
      restore_lost_fields(back, lost, nullptr, LostStatus::dropped);
      EXPECT_TRUE(k8s::equal(own.at("spec"), back.at("spec")))
          << first << " and " << second << ": " << json::to_text(lost) << " gave " << json::to_text(back);
      EXPECT_EQ(lost.empty(), k8s::equal(parse(first), parse(second)));
    }
  }
}

/// Gives every object in the value a member that it does not have.
void fill_in(json::Value& value, std::string_view name) {
  if (json::Object* object = value.if_object()) {
    for (auto& member : *object) fill_in(member.value(), name);
    if (!object->contains(name)) object->emplace(name, 7);
  } else if (json::Array* list = value.if_array()) {
    for (json::Value& item : *list) fill_in(item, name);
  }
}

TEST(LostFields, ComeBackWithAndWithoutTheDefaultsOfTheVersion) {
  std::vector<json::Object> objects{json::Object{{"kind", "A"}}};
  for (const std::string& spec : any_specs()) objects.push_back({{"kind", "A"}, {"spec", parse(spec)}});
  for (const json::Object& own : objects) {
    for (const json::Object& plain : objects) {
      for (const char* name : {"a", "b.c", "e", "l", "x", "y"}) {
        json::Object filled = plain;
        if (!filled.contains("spec")) filled["spec"] = json::Object{};
        fill_in(filled.at("spec"), name);
        json::Object lost = find_lost_fields(own, plain, nullptr);
        add_lost_to_defaults(lost, find_lost_fields(own, filled, nullptr));
        for (const json::Object& each : {plain, filled}) {
          json::Object back = each;
          restore_lost_fields(back, lost, nullptr, LostStatus::dropped);
          EXPECT_TRUE(k8s::equal(json::Value(back), json::Value(own)))
              << json::to_text(own) << " came back as " << json::to_text(each) << ": " << json::to_text(lost)
              << " gave " << json::to_text(back);
        }
      }
    }
  }
}

}  // namespace
}  // namespace fairway::conversion
