// SPDX-License-Identifier: Apache-2.0

// What a quarantine must not lose: content beside its marks, an original that nothing reads any more, and
// lists that are long.
#include <gtest/gtest.h>

#include "conversion/internal/review.h"
#include "conversion/quarantined_widgets.h"
#include "k8s/equality.h"
#include "k8s/quarantine.h"

namespace fairway::conversion {
namespace {

using testing::quarantined_definition;
using testing::widget;

/// An object of a version with the marks of a quarantine, whose original is `content` in `stored`.
k8s::Dynamic marked(std::string_view version, const json::Value& spec, std::string_view stored,
                    json::Object content) {
  k8s::Dynamic object = widget(version, spec);
  if (spec.is_null()) object.erase("spec");
  content["apiVersion"] = std::string(testing::group) + "/" + std::string(stored);
  object.set_annotation(k8s::original_annotation, json::to_text(content));
  object.set_annotation(
      k8s::quarantined_annotation,
      json::to_text(
          json::Object{{"why", "w"}, {"step", std::string(stored) + " to v1"}, {"storedVersion", stored}}));
  return object;
}

std::pair<std::string, std::string> marks_of(const k8s::Dynamic& object) {
  return {std::string(object.annotation(k8s::quarantined_annotation)),
          std::string(object.annotation(k8s::original_annotation))};
}

json::Object huge_spec() {
  return {{"spec", json::Object{{"size", "huge"}}}};
}

/// Widgets whose v1 has a default for spec.capacity.size, too.
class QuarantineLoss : public ::testing::Test {
 protected:
  QuarantineLoss() {
    auto definition = quarantined_definition();
    for (k8s::Editor& version : definition.edit_items("spec.versions")) {
      if (version.text("name") != "v1") continue;
      k8s::Editor capacity = version.edit("schema.openAPIV3Schema.properties.spec.properties.capacity");
      capacity.set("default", json::Object{});
      capacity.set("properties.size.default", "M");
    }
    testing::add_quarantined_widgets(converters);
    if (auto ready = converters.prepare({definition}); !ready)
      throw std::runtime_error(ready.error().message);
  }

  const KindConverters& kind() const { return *converters.find(testing::group, "Widget"); }

  Converters converters;
};

TEST_F(QuarantineLoss, ContentBesideTheMarksComesBackAlthoughItMayBeDefaults) {
  const json::Object spec{{"mode", "slow"}, {"capacity", json::Object{{"size", "L"}}}};
  const k8s::Dynamic object = marked("v1", spec, "v1beta1", huge_spec());
  const auto older = kind().answer(object, "v1beta1");
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_EQ(older->object.text("spec.size"), "L") << older->object.to_text();
  EXPECT_EQ(marks_of(older->object), marks_of(object));
  const auto back = kind().answer(older->object, "v1");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->object.text("spec.capacity.size"), "L") << back->object.to_text();
  EXPECT_EQ(marks_of(back->object), marks_of(object));
}

/// The kind as a program has it that has dropped v1alpha1, and whose v1beta1 cannot be empty.
void prepare_strict(Converters& converters) {
  const auto strict = [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    if (!object.has("spec")) return invalid_field("spec", "it is missing");
    return testing::to_v1(std::move(object));
  };
  const auto back = [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    if (!object.has("spec")) return invalid_field("spec", "it is missing");
    return testing::from_v1(std::move(object));
  };
  converters.kind(testing::group, "Widget").step("v1beta1", "v1", strict, back).quarantine();
  auto definition = quarantined_definition();
  json::Array& versions = definition.array("spec.versions");
  for (auto one = versions.begin(); one != versions.end();)
    one = json::find_string(*one, "name") == "v1alpha1" ? versions.erase(one) : one + 1;
  if (auto ready = converters.prepare({definition}); !ready) throw std::runtime_error(ready.error().message);
}

TEST_F(QuarantineLoss, AnOriginalThatCannotBeUsedIsNeverOverwritten) {
  Converters own;
  prepare_strict(own);
  const KindConverters& strict = *own.find(testing::group, "Widget");
  // The original is of a version that the program no longer has, or of the object's own.
  for (const char* stored : {"v1alpha1", "v1", "v1beta1"}) {
    SCOPED_TRACE(stored);
    const k8s::Dynamic object = marked("v1", nullptr, stored, {{"spec", json::Object{{"mode", "stuck"}}}});
    k8s::Dynamic now = object;
    for (const char* version : {"v1beta1", "v1", "v1beta1", "v1"}) {
      SCOPED_TRACE(version);
      auto answer = strict.answer(now, version);
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_FALSE(answer->object.has("spec")) << answer->object.to_text();
      EXPECT_EQ(marks_of(answer->object), marks_of(object));
      EXPECT_TRUE(answer->quarantined);
      now = std::move(answer->object);
    }
  }
}

TEST_F(QuarantineLoss, BrokenContentBesideMarksFails) {
  const k8s::Dynamic object = marked("v1beta1", json::Object{{"size", "huge"}}, "v1beta1", huge_spec());
  const auto answer = kind().answer(object, "v1");
  ASSERT_FALSE(answer) << answer->object.to_text();
  EXPECT_TRUE(
      answer.error().message.contains("'huge' is no size; and it cannot be quarantined: it has the "
                                      "annotation conversion.fairway.dev/quarantined already"))
      << answer.error().message;
}

TEST_F(QuarantineLoss, TheReasonIsCut) {
  Converters own;
  own.kind(testing::group, "Widget")
      .step(
          "v1beta1", "v1",
          [](const k8s::Dynamic&) -> Result<k8s::Dynamic> {
            return invalid_field("spec.size", std::string(1'000'000, 'x'));
          },
          same_schema)
      .same("v1alpha1", "v1beta1")
      .quarantine();
  ASSERT_TRUE(own.prepare({quarantined_definition()}));
  const auto answer =
      own.find(testing::group, "Widget")->answer(widget("v1beta1", json::Object{{"size", "S"}}), "v1");
  ASSERT_TRUE(answer) << answer.error().message.substr(0, 1000);
  ASSERT_TRUE(answer->quarantined);
  EXPECT_LE(answer->quarantined->why.size(), 1100);
}

/// Objects of some 300 KB: parsed, they need several times that.
std::string long_review(std::size_t objects, std::size_t every_broken) {
  std::string list;
  for (std::size_t i = 0; i < objects; ++i) {
    const bool is_broken = every_broken != 0 && i % every_broken == 0;
    list += (i > 0 ? "," : "") +
            std::string(R"({"apiVersion":"widgets.example.com/v1beta1","kind":"Widget",)") +
            R"("metadata":{"name":"a","namespace":"default","uid":"u"},"spec":{"size":")" +
            (is_broken ? "huge" : "S") + R"(","list":[)";
    for (int item = 0; item < 4'000; ++item)
      list += (item > 0 ? "," : "") +
              std::string(R"({"a":[1,{"b":"a text that is somewhat longer than a word, as many are"}]})");
    list += "]}}";
  }
  return R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u",)"
         R"("desiredAPIVersion":"widgets.example.com/v1","objects":[)" +
         list + "]}}";
}

TEST(QuarantineOfLongLists, HoldsOneObjectAtATime) {
  const std::string body = long_review(100, 0);
  ASSERT_GT(body.size(), 100 * 270'000);
  for (const bool is_on : {false, true}) {
    SCOPED_TRACE(is_on);
    Converters converters;
    KindConverters& kind = testing::add_quarantined_widgets(converters).quarantine(is_on);
    ASSERT_TRUE(converters.prepare({quarantined_definition()}));
    EXPECT_EQ(kind.is_quarantining(), is_on);
    const ReviewReply reply = answer_review(converters, body);
    EXPECT_EQ(reply.error, "");
    ASSERT_EQ(reply.pairs.size(), 1);
    EXPECT_EQ(reply.pairs[0].converted, 100);
  }
}

TEST(QuarantineOfLongLists, HoldsOneObjectAtATimeThoughManyAreQuarantined) {
  Converters converters;
  testing::prepare_quarantined_widgets(converters);
  const ReviewReply reply = answer_review(converters, long_review(40, 2));
  EXPECT_EQ(reply.error, "");
  ASSERT_EQ(reply.pairs.size(), 1);
  EXPECT_EQ(reply.pairs[0].converted, 20);
  EXPECT_EQ(reply.pairs[0].quarantined, 20);
}

}  // namespace
}  // namespace fairway::conversion
