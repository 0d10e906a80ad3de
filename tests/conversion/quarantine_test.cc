// SPDX-License-Identifier: Apache-2.0

// Objects that do not convert, of a kind that is quarantined. The tables are
// tests/conversion/data/quarantine.json and quarantine_writes.json.
#include "conversion/quarantine.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "conversion/check/conversion_check.h"
#include "conversion/check/converter.h"
#include "conversion/check/version_schemas.h"
#include "conversion/internal/quarantined_object.h"
#include "conversion/internal/review.h"
#include "conversion/quarantined_widgets.h"
#include "http/compress.h"
#include "k8s/equality.h"
#include "k8s/quarantine.h"

namespace fairway::conversion {
namespace {

k8s::Dynamic object_of(const json::Value& value) {
  return k8s::Dynamic(value.as_object());
}

TEST(Quarantine, GivesTheMetadataAndTheReasonAndTheOriginalBack) {
  Converters converters;
  const KindConverters& kind = testing::prepare_quarantined_widgets(converters);
  for (const json::Value& row : testing::read_cases("quarantine.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const k8s::Dynamic original = object_of(testing::field(row, "object"));
    const std::string stored(original.api_version().substr(original.api_version().find('/') + 1));
    const auto answer = kind.answer(original, "v1");
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_TRUE(answer->quarantined);
    EXPECT_EQ(answer->quarantined->stored_version, stored);
    EXPECT_EQ(answer->quarantined->step, "v1beta1 to v1");
    EXPECT_TRUE(answer->quarantined->why.starts_with("spec.size: 'huge' is no size (spec.size is \"huge\""))
        << answer->quarantined->why;

    const k8s::Dynamic& object = answer->object;
    EXPECT_EQ(object.json().size(), 3) << object.to_text();
    EXPECT_EQ(object.api_version(), "widgets.example.com/v1");
    EXPECT_EQ(object.kind(), "Widget");
    k8s::Dynamic metadata = object, expected = original;
    for (k8s::Dynamic* one : {&metadata, &expected}) {
      one->remove_annotation(k8s::quarantined_annotation);
      one->remove_annotation(k8s::original_annotation);
      if (one->annotations().begin() == one->annotations().end()) one->erase("metadata.annotations");
    }
    EXPECT_TRUE(k8s::equal(*metadata.find("metadata"), *expected.find("metadata"))) << object.to_text();

    const auto back = kind.answer(object, stored);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_FALSE(back->quarantined);
    EXPECT_EQ(json::to_text(json::Object(back->object.json())).size(), original.to_text().size());
    EXPECT_TRUE(k8s::equal(json::Value(back->object.json()), json::Value(original.json())))
        << back->object.to_text();
    // The numbers as they are written, too: 1 and 1.0 are two.
    if (const json::Value* numbers = original.find("spec.numbers")) {
      EXPECT_EQ(json::to_text(*back->object.find("spec.numbers")), json::to_text(*numbers));
    }
    // The same object has the same annotations wherever it is converted.
    EXPECT_EQ(kind.answer(original, "v1")->object.to_text(), object.to_text());
    // A version that the original does convert to.
    if (stored == "v1beta1") {
      const auto older = kind.answer(object, "v1alpha1");
      ASSERT_TRUE(older);
      EXPECT_FALSE(older->quarantined);
      EXPECT_EQ(older->object.text("spec.size"), "huge");
      EXPECT_FALSE(k8s::is_quarantined(older->object));
    }
  }
}

TEST(Quarantine, IsOffUnlessAskedFor) {
  Converters converters;
  KindConverters& kind = testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare({testing::quarantined_definition()}));
  EXPECT_FALSE(kind.quarantines());
  const k8s::Dynamic huge = testing::widget("v1beta1", json::Object{{"size", "huge"}});
  const auto answer = kind.answer(huge, "v1");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, kind.convert(huge, "v1").error().message);
  // Where nobody guards the annotations they are as any other.
  Converters guarded;
  const auto quarantined = testing::prepare_quarantined_widgets(guarded).answer(huge, "v1");
  const auto kept = kind.answer(quarantined->object, "v1beta1");
  ASSERT_TRUE(kept);
  EXPECT_TRUE(k8s::is_quarantined(kept->object));
  EXPECT_FALSE(kept->object.has("spec"));
  // The marks are checked all the same, as another replica may quarantine the kind.
  EXPECT_FALSE(kind.check_quarantine(quarantined->object, nullptr));
}

TEST(Quarantine, IsRefusedWithoutWhatGuardsIt) {
  const auto error = [](const std::vector<k8s::CustomResourceDefinition>& definitions) {
    Converters converters;
    testing::add_quarantined_widgets(converters);
    const auto ready = converters.prepare(definitions);
    return ready ? "" : ready.error().message;
  };
  EXPECT_EQ(error({testing::quarantined_definition()}), "");
  EXPECT_TRUE(error({}).contains("Widget.widgets.example.com cannot be quarantined: its definition"))
      << error({});
}

TEST(Quarantine, FailsAsBeforeWhereItDoesNotHelp) {
  Converters converters;
  const KindConverters& kind = testing::prepare_quarantined_widgets(converters);
  const auto error = [&](const k8s::Dynamic& object, std::string_view version) {
    const auto answer = kind.answer(object, version);
    return answer ? "" : answer.error().message;
  };
  k8s::Dynamic object = testing::widget("v1beta1", json::Object{{"size", "huge"}});
  EXPECT_TRUE(error(object, "v9").contains("there is no version v9"));
  object.set("apiVersion", "widgets.example.com/v0");
  EXPECT_TRUE(error(object, "v1").contains("there is no version v0"));
  object.set("apiVersion", "other.example.com/v1beta1");
  EXPECT_TRUE(error(object, "v1").contains("is none of the group"));
  // Long, and not to be compressed: 256 KiB is the limit of all annotations.
  object = testing::widget("v1beta1", json::Object{{"size", "huge"}});
  std::uint64_t state = 1;
  std::string noise;
  while (noise.size() < 300'000) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    noise += static_cast<char>('!' + (state >> 33) % 90);
  }
  object.set("spec.noise", noise);
  const std::string long_error = error(object, "v1");
  EXPECT_TRUE(
      long_error.contains("spec.size: 'huge' is no size; and it cannot be quarantined: metadata.annotations: "
                          "they would have 3"))
      << long_error;
  EXPECT_TRUE(long_error.contains("and may have 262144")) << long_error;
  // What compresses well fits.
  object.set("spec.noise", std::string(2'000'000, 'x'));
  const auto answer = kind.answer(object, "v1");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->object.annotation(k8s::original_annotation).starts_with("gzip:"));
  EXPECT_LT(answer->object.to_text().size(), 8'000);
  EXPECT_EQ(kind.answer(answer->object, "v1beta1")->object.text("spec.noise").size(), 2'000'000);
}

TEST(Quarantine, TrustsNoAnnotationBesideContentNorOneThatIsNotItsOwn) {
  Converters converters;
  const KindConverters& kind = testing::prepare_quarantined_widgets(converters);
  const k8s::Dynamic quarantined =
      kind.answer(testing::widget("v1beta1", json::Object{{"size", "huge"}}), "v1")->object;
  // Content counts: the annotation is not put in its place.
  k8s::Dynamic planted = quarantined;
  planted.set("spec.capacity.size", "S");
  const auto older = kind.answer(planted, "v1beta1");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->object.text("spec.size"), "S");
  // What the server fills in is no content.
  planted = quarantined;
  planted.set("spec.mode", "slow");
  EXPECT_EQ(kind.answer(planted, "v1beta1")->object.text("spec.size"), "huge");

  const auto bomb =
      "gzip:" + base64_encode(http::gzip("{\"apiVersion\":\"widgets.example.com/v1beta1\",\"a\":\"" +
                                         std::string(max_object_bytes, ' ') + "\"}"));
  for (
      const std::string& text :
      {std::string("{"), std::string("[]"), std::string("gzip:!"), std::string("gzip:AAAA"), bomb,
       std::string(R"({"spec":{"size":"L"}})"),
       std::string(R"({"apiVersion":"other.example.com/v1beta1","spec":{"size":"L"}})"),
       std::string(R"({"apiVersion":"widgets.example.com/v1alpha1","spec":{"size":"L"}})"),
       std::string(
           R"({"apiVersion":"widgets.example.com/v1beta1","metadata":{"name":"b"},"spec":{"size":"L"}})"),
       std::string(
           R"({"apiVersion":"widgets.example.com/v1beta1","metadata":{"annotations":{"a":"b"}},"spec":{}})")}) {
    planted = quarantined;
    planted.set_annotation(k8s::original_annotation, text);
    EXPECT_FALSE(restore_original(planted)) << text.substr(0, 80);
    const auto answer = kind.answer(planted, "v1beta1");
    ASSERT_TRUE(answer) << text.substr(0, 80);
    EXPECT_FALSE(answer->object.has("spec.size")) << text.substr(0, 80);
  }
}

TEST(Quarantine, IsAFailureForACheck) {
  const auto converters = std::make_shared<Converters>();
  testing::prepare_quarantined_widgets(*converters);
  ConversionCheck check({.group = std::string(testing::group), .kind = "Widget", .to = "v1"}, {},
                        ask_converters(converters));
  ASSERT_TRUE(check.add({testing::widget("v1beta1", json::Object{{"size", "huge"}}),
                         testing::widget("v1beta1", json::Object{{"size", "S"}})}));
  const auto causes = check.findings().causes();
  ASSERT_EQ(causes.size(), 1);
  EXPECT_EQ(causes[0].kind, FindingKind::fails);
  EXPECT_EQ(causes[0].count, 1);
  EXPECT_TRUE(causes[0].cause.contains("converting from v1beta1 to v1: spec.size: 'huge' is no size"))
      << causes[0].cause;
}

TEST(Quarantine, IsAFailureForACheckOfWhatWasReadWhileItWasThere) {
  const auto converters = std::make_shared<Converters>();
  const KindConverters& kind = testing::prepare_quarantined_widgets(*converters);
  const auto causes_of = [&](const k8s::Dynamic& object) {
    ConversionCheck check({.group = std::string(testing::group), .kind = "Widget", .to = "v1"},
                          VersionSchemas(testing::quarantined_definition()), ask_converters(converters));
    EXPECT_TRUE(check.add({object}));
    std::vector<std::string> causes;
    for (const auto& one : check.findings().causes()) {
      EXPECT_EQ(one.kind, FindingKind::fails);
      causes.push_back(one.cause);
    }
    return causes;
  };
  const k8s::Dynamic read =
      kind.answer(testing::widget("v1beta1", json::Object{{"size", "huge"}}), "v1")->object;
  k8s::Dynamic filled = read;
  filled.set("spec.mode", "slow");
  for (const k8s::Dynamic& object : {read, filled}) {
    const auto causes = causes_of(object);
    ASSERT_EQ(causes.size(), 1);
    EXPECT_TRUE(causes[0].contains("converting from v1beta1 to v1: spec.size: 'huge' is no size"))
        << causes[0];
  }
  // A converter that is better than the one that quarantined it.
  k8s::Dynamic mended = read;
  mended.set_annotation(k8s::original_annotation,
                        R"({"apiVersion":"widgets.example.com/v1beta1","spec":{"size":"S"}})");
  EXPECT_EQ(causes_of(mended), std::vector<std::string>{});
  k8s::Dynamic unreadable = read;
  unreadable.set_annotation(k8s::original_annotation, "{");
  const auto causes = causes_of(unreadable);
  ASSERT_EQ(causes.size(), 1);
  EXPECT_TRUE(causes[0].contains("it has the marks of a quarantined object")) << causes[0];
}

TEST(Quarantine, MarksBesideContentAreANoteOfACheck) {
  const auto converters = std::make_shared<Converters>();
  const KindConverters& kind = testing::prepare_quarantined_widgets(*converters);
  const k8s::Dynamic read =
      kind.answer(testing::widget("v1beta1", json::Object{{"size", "huge"}}), "v1")->object;
  ConversionCheck check({.group = std::string(testing::group), .kind = "Widget", .to = "v1"},
                        VersionSchemas(testing::quarantined_definition()), ask_converters(converters));
  k8s::Dynamic newer = read, older = read, broken = read;
  newer.set("spec.capacity.size", "S");
  for (k8s::Dynamic* one : {&older, &broken}) one->set("apiVersion", "widgets.example.com/v1beta1");
  older.set("spec.size", "S");
  ASSERT_TRUE(check.add({newer, older}));
  EXPECT_EQ(check.marked_with_content(), 2);
  EXPECT_EQ(check.findings().faulty_objects(), 0)
      << (check.findings().causes().empty() ? "" : check.findings().causes()[0].cause);
  // It is checked like any other.
  broken.set("spec.size", "huge");
  ASSERT_TRUE(check.add({broken}));
  ASSERT_EQ(check.findings().causes().size(), 1);
  EXPECT_TRUE(check.findings().causes()[0].cause.contains("'huge' is no size"))
      << check.findings().causes()[0].cause;
}

TEST(Quarantine, IsUndoneForTheUserOfAFile) {
  Converters converters;
  const KindConverters& kind = testing::prepare_quarantined_widgets(converters);
  const k8s::Dynamic original = testing::widget("v1beta1", json::Object{{"size", "huge"}});
  const auto back = converters.convert(kind.answer(original, "v1")->object, "v1beta1");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(k8s::equal(json::Value(back->json()), json::Value(original.json()))) << back->to_text();
}

/// An object of a row of quarantine_writes.json; the marks of its own are those of a real one.
k8s::Dynamic written(const json::Value& row, std::string_view version, const KindConverters& kind) {
  k8s::Dynamic object = testing::widget(version, json::Object{});
  object.erase("spec");
  for (const auto& member : row.as_object()) {
    if (member.key() == "marks") {
      const bool other = member.value() == json::Value("other");
      const k8s::Dynamic real =
          kind.answer(testing::widget("v1beta1", json::Object{{"size", "huge"}, {"other", other}}), "v1")
              ->object;
      for (const std::string_view mark : {k8s::quarantined_annotation, k8s::original_annotation}) {
        const std::string_view which = member.value().as_string();
        if (which == "both" || which == "other" || mark.ends_with(which))
          object.set_annotation(mark, real.annotation(mark));
      }
    } else if (member.key() == "metadata") {
      for (const auto& field : member.value().as_object())
        object.set("metadata." + std::string(field.key()), field.value());
    } else {
      object.set(member.key(), member.value());
    }
  }
  return object;
}

TEST(Quarantine, AcceptsTheWritesOfTheTable) {
  Converters converters;
  const KindConverters& kind = testing::prepare_quarantined_widgets(converters);
  for (const json::Value& row : testing::read_cases("quarantine_writes.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const std::string version = testing::text(row, "version");
    const json::Value& before = testing::field(row, "old");
    std::optional<k8s::Dynamic> old;
    if (!before.is_null()) old = written(before, version, kind);
    const auto valid =
        kind.validate(written(testing::field(row, "new"), version, kind), old ? &*old : nullptr);
    if (const json::Value* refused = json::find(row, "refused")) {
      ASSERT_FALSE(valid);
      EXPECT_TRUE(valid.error().message.contains(std::string_view(refused->as_string())))
          << valid.error().message;
    } else {
      EXPECT_TRUE(valid) << valid.error().message;
    }
  }
}

}  // namespace
}  // namespace fairway::conversion
