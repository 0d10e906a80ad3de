// SPDX-License-Identifier: Apache-2.0

// Marks that somebody has written, and what the definition of a kind must and must not have.
#include <gtest/gtest.h>

#include <new>

#include "conversion/quarantine.h"
#include "conversion/quarantined_widgets.h"
#include "conversion/webhook.h"
#include "k8s/quarantine.h"

namespace fairway::conversion {
namespace {

using testing::quarantined_definition;
using testing::widget;

k8s::CustomResourceDefinition with_status(k8s::CustomResourceDefinition definition) {
  for (k8s::Editor& version : definition.edit_items("spec.versions"))
    version.set("subresources.status", json::Object{});
  return definition;
}

k8s::Dynamic huge() {
  return widget("v1beta1", json::Object{{"size", "huge"}, {"replicas", 3}});
}

/// An object of v1 without content whose marks somebody has written: its original is `content` in v1beta1.
k8s::Dynamic planted(json::Object content, std::string_view why = "w") {
  k8s::Dynamic object = widget("v1", json::Object{});
  object.erase("spec");
  content["apiVersion"] = std::string(testing::group) + "/v1beta1";
  object.set_annotation(k8s::original_annotation, json::to_text(content));
  object.set_annotation(
      k8s::quarantined_annotation,
      json::to_text(json::Object{{"why", why}, {"step", "v1beta1 to v1"}, {"storedVersion", "v1beta1"}}));
  return object;
}

std::string error_of(const Result<void>& result) {
  return result ? "" : result.error().message;
}

class QuarantineTrust : public ::testing::Test {
 protected:
  /// Widgets that are quarantined, with what a test adds to them.
  KindConverters& prepare(const std::function<void(KindConverters&)>& add = {},
                          const k8s::CustomResourceDefinition& definition = quarantined_definition()) {
    KindConverters& kind = testing::add_quarantined_widgets(converters);
    if (add) add(kind);
    if (auto ready = converters.prepare({definition}); !ready)
      throw std::runtime_error(ready.error().message);
    return kind;
  }
  k8s::Dynamic quarantined(const KindConverters& kind) { return kind.answer(huge(), "v1").value().object; }

  Converters converters;
};

TEST_F(QuarantineTrust, MarksOfAnObjectThatConvertsAreNotUsed) {
  const KindConverters& kind = prepare();
  const auto answer = kind.answer(planted({{"spec", json::Object{{"size", "S"}}}}), "v1beta1");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->object.has("spec")) << answer->object.to_text();
  EXPECT_FALSE(answer->quarantined);
  // They hold nobody up either: whoever writes the object leaves them out.
  const k8s::Dynamic old = planted({{"spec", json::Object{{"size", "S"}}}});
  EXPECT_EQ(error_of(kind.validate(widget("v1", json::Object{{"mode", "fast"}}), &old)), "");
  EXPECT_TRUE(error_of(kind.validate(old, &old)).contains("are set by the conversion webhook alone"));
  // Another release may have made them: what they have is not thrown away.
  EXPECT_TRUE(error_of(kind.validate(widget("v1", json::Object{{"mode", "slow"}}), &old))
                  .contains("its content would be lost"));
}

TEST_F(QuarantineTrust, StatusIsNotRestoredWhereItIsASubresource) {
  const KindConverters& kind = prepare({}, with_status(quarantined_definition()));
  k8s::Dynamic original = huge();
  original.set("status.ready", true);
  const auto back = kind.answer(kind.answer(original, "v1")->object, "v1beta1");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->object.text("spec.size"), "huge");
  EXPECT_FALSE(back->object.has("status")) << back->object.to_text();
}

TEST_F(QuarantineTrust, AReplaceIsComparedWithTheOriginal) {
  const KindConverters& kind = prepare([](KindConverters& one) {
    one.validates("v1beta1", [](const k8s::Dynamic& object, const k8s::Dynamic* old) -> Result<void> {
      if (old != nullptr && old->integer("spec.replicas") != object.integer("spec.replicas"))
        return invalid_field("spec.replicas", "it cannot change");
      return {};
    });
  });
  const k8s::Dynamic old = quarantined(kind);
  const auto replaced = [&](int replicas) {
    return error_of(
        kind.validate(widget("v1", json::Object{{"capacity", json::Object{{"replicas", replicas}}}}), &old));
  };
  EXPECT_EQ(replaced(3), "");
  EXPECT_TRUE(replaced(4).contains("spec.replicas: it cannot change")) << replaced(4);
}

TEST_F(QuarantineTrust, AReplaceThatCannotBeComparedIsRefused) {
  const KindConverters& kind = prepare([](KindConverters& one) {
    one.validates("v1", [](const k8s::Dynamic&, const k8s::Dynamic*) { return Result<void>(); });
  });
  const k8s::Dynamic old = quarantined(kind);
  const std::string error = error_of(kind.validate(widget("v1", json::Object{{"mode", "fast"}}), &old));
  EXPECT_TRUE(error.contains("the validator of v1 cannot compare it with the original")) << error;
  EXPECT_TRUE(error.contains("delete it")) << error;
  // Nor is it repaired in its own version, of which there is no validator.
  const k8s::Dynamic stored = huge();
  const std::string repair = error_of(kind.validate(widget("v1beta1", json::Object{{"size", "S"}}), &stored));
  EXPECT_TRUE(repair.starts_with("the validator of v1 cannot compare the object with what it was; delete it"))
      << repair;
  // A new object is compared with nothing.
  EXPECT_EQ(error_of(kind.validate(widget("v1", json::Object{{"mode", "fast"}}), nullptr)), "");
}

TEST_F(QuarantineTrust, AReplaceIsRefusedInAVersionWhoseSchemaComparesWithTheOldObject) {
  auto definition = quarantined_definition();
  for (k8s::Editor& version : definition.edit_items("spec.versions")) {
    if (version.text("name") != "v1") continue;
    version.set("schema.openAPIV3Schema.properties.spec.x-kubernetes-validations",
                json::Array{json::Object{{"rule", "self.mode == oldSelf.mode"}}});
  }
  const KindConverters& kind = prepare({}, definition);
  const k8s::Dynamic old = quarantined(kind);
  const std::string error = error_of(kind.validate(widget("v1", json::Object{{"mode", "fast"}}), &old));
  EXPECT_TRUE(error.contains("a rule of the schema of v1 compares with the object as it was (oldSelf)"))
      << error;
  // In its own version the API server compares with the object that is stored.
  const k8s::Dynamic stored = huge();
  EXPECT_EQ(error_of(kind.validate(widget("v1beta1", json::Object{{"size", "S"}}), &stored)), "");
}

TEST_F(QuarantineTrust, IsRefusedForSelectableFields) {
  auto definition = quarantined_definition();
  for (k8s::Editor& version : definition.edit_items("spec.versions")) {
    if (version.text("name") == "v1")
      version.set("selectableFields", json::Array{json::Object{{"jsonPath", ".spec.mode"}}});
  }
  testing::add_quarantined_widgets(converters);
  const auto ready = converters.prepare({definition});
  ASSERT_FALSE(ready);
  EXPECT_TRUE(ready.error().message.contains(
      "Widget.widgets.example.com cannot be quarantined: its version v1 has selectableFields"))
      << ready.error().message;
}

TEST_F(QuarantineTrust, EndsWhereTheServersDefinitionGetsSelectableFields) {
  const KindConverters& kind = prepare();
  auto definition = quarantined_definition();
  ASSERT_TRUE(converters.check(definition));
  EXPECT_TRUE(kind.answer(huge(), "v1"));
  const k8s::Dynamic object = quarantined(kind);
  for (k8s::Editor& version : definition.edit_items("spec.versions"))
    version.set("selectableFields", json::Array{json::Object{{"jsonPath", ".spec.mode"}}});
  ASSERT_TRUE(converters.check(definition));
  EXPECT_FALSE(kind.is_quarantining());
  EXPECT_FALSE(kind.answer(huge(), "v1"));
  // What an API server got before that is stored whole.
  EXPECT_EQ(kind.answer(object, "v1beta1")->object.text("spec.size"), "huge");
}

TEST_F(QuarantineTrust, OnlyWhatIsInvalidIsQuarantined) {
  for (const ErrorCode code :
       {ErrorCode::unavailable, ErrorCode::deadline_exceeded, ErrorCode::internal, ErrorCode::too_large}) {
    Converters own;
    KindConverters& kind =
        own.kind(testing::group, "Widget")
            .step(
                "v1beta1", "v1",
                [code](const k8s::Dynamic&) -> Result<k8s::Dynamic> { return fail(code, "not now"); },
                same_schema)
            .step("v1alpha1", "v1beta1", same_schema,
                  [](const k8s::Dynamic&) -> Result<k8s::Dynamic> { throw std::bad_alloc(); })
            .quarantine();
    ASSERT_TRUE(own.prepare({quarantined_definition()}));
    for (const char* version : {"v1", "v1alpha1"}) {
      const auto answer = kind.answer(huge(), version);
      ASSERT_FALSE(answer) << version << " " << to_string(code);
      EXPECT_EQ(answer.error().code, std::string_view(version) == "v1" ? code : ErrorCode::internal);
    }
  }
}

TEST_F(QuarantineTrust, AStepThatThrowsOverAnObjectQuarantinesIt) {
  Converters own;
  KindConverters& kind = own.kind(testing::group, "Widget")
                             .step(
                                 "v1beta1", "v1",
                                 [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
                                   static_cast<void>(object.json().at("spec").at("size").as_int64());
                                   return object;
                                 },
                                 same_schema)
                             .same("v1alpha1", "v1beta1")
                             .quarantine();
  ASSERT_TRUE(own.prepare({quarantined_definition()}));
  const auto answer = kind.answer(huge(), "v1");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(k8s::is_quarantined(answer->object));
}

TEST_F(QuarantineTrust, OnlyAKnownDefaultIsNoContent) {
  const KindConverters& kind = prepare();
  k8s::Dynamic object = quarantined(kind);
  object.set("spec.mode", "quick");
  const auto unknown = kind.answer(object, "v1beta1");
  ASSERT_TRUE(unknown);
  // Neither is certain to be the content: both stay.
  EXPECT_TRUE(unknown->object.has("spec")) << unknown->object.to_text();
  EXPECT_FALSE(unknown->object.has("spec.size")) << unknown->object.to_text();
  EXPECT_EQ(unknown->object.annotation(k8s::original_annotation),
            object.annotation(k8s::original_annotation));
  EXPECT_FALSE(kind.is_served_without_content(object));
  // The definition as the server has it says that this is a default now.
  auto definition = quarantined_definition();
  for (k8s::Editor& version : definition.edit_items("spec.versions")) {
    if (version.text("name") != "v1") continue;
    k8s::Editor spec = version.edit("schema.openAPIV3Schema.properties.spec");
    spec.set("properties.mode.default", "quick");
    spec.set("properties.ratio.default", 0.5);
  }
  ASSERT_TRUE(converters.check(definition));
  object.set("spec.ratio", 0.5);
  EXPECT_EQ(kind.answer(object, "v1beta1")->object.text("spec.size"), "huge");
  // And the one before, which may be stored, is one still.
  object.erase("spec.ratio");
  object.set("spec.mode", "slow");
  EXPECT_EQ(kind.answer(object, "v1beta1")->object.text("spec.size"), "huge");
}

TEST_F(QuarantineTrust, GoesByTheStorageVersionOfTheServer) {
  const KindConverters& kind = prepare();
  EXPECT_TRUE(error_of(kind.validate(huge(), nullptr)).contains("cannot be stored in v1:"));
  ASSERT_TRUE(converters.check(quarantined_definition("v1beta1")));
  EXPECT_EQ(error_of(kind.validate(huge(), nullptr)), "");
  ASSERT_TRUE(converters.check(quarantined_definition("v1")));
  EXPECT_TRUE(error_of(kind.validate(huge(), nullptr)).contains("cannot be stored in v1:"));
}

TEST_F(QuarantineTrust, AFileIsRestoredOnlyWhereTheKindIsQuarantinedAndHasNoContent) {
  const KindConverters& kind = prepare();
  k8s::Dynamic object = quarantined(kind);
  object.set("spec.capacity.size", "S");
  EXPECT_EQ(converters.convert(object, "v1beta1")->text("spec.size"), "S");
  Converters off;
  testing::add_widgets(off);
  ASSERT_TRUE(off.prepare({quarantined_definition()}));
  const auto kept = off.convert(quarantined(kind), "v1beta1");
  ASSERT_TRUE(kept);
  EXPECT_FALSE(kept->has("spec")) << kept->to_text();
}

TEST_F(QuarantineTrust, TheReasonInAMessageIsPrintableAndBounded) {
  const KindConverters& kind = prepare();
  const k8s::Dynamic old =
      planted({{"spec", json::Object{{"size", "huge"}}}}, "\x1b[2J\n" + std::string(100'000, 'x'));
  k8s::Dynamic labelled = old;
  labelled.set("metadata.labels.a", "b");
  const std::string error = error_of(kind.validate(labelled, &old));
  EXPECT_TRUE(error.contains("the object is quarantined")) << error.substr(0, 1000);
  EXPECT_LT(error.size(), 2'000);
  EXPECT_FALSE(error.contains('\x1b'));
  EXPECT_FALSE(error.contains('\n'));
}

void expect_printable(const Result<ConvertedObject>& answer) {
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_TRUE(answer->quarantined);
  const QuarantineReason& reason = *answer->quarantined;
  EXPECT_TRUE(reason.why.contains("\\x1b[2J\\nhuge")) << reason.why;
  for (const std::string& text : {reason.why, reason.step})
    EXPECT_FALSE(text.contains('\x1b') || text.contains('\n')) << text;
}

TEST_F(QuarantineTrust, TheReasonIsPrintable) {
  const KindConverters& kind = converters.kind(testing::group, "Widget")
                                   .step(
                                       "v1beta1", "v1",
                                       [](const k8s::Dynamic&) -> Result<k8s::Dynamic> {
                                         return invalid_field("spec.size", "'\x1b[2J\nhuge' is no size");
                                       },
                                       same_schema)
                                   .same("v1alpha1", "v1beta1")
                                   .quarantine();
  ASSERT_TRUE(converters.prepare({quarantined_definition()}));
  expect_printable(kind.answer(huge(), "v1"));
  // Somebody else's, of an object that stays as it is: its original is of its own version.
  k8s::Dynamic marked = planted({});
  marked.set_annotation(k8s::original_annotation, R"({"apiVersion":"widgets.example.com/v1"})");
  marked.set_annotation(k8s::quarantined_annotation,
                        R"({"why":"\u001b[2J\nhuge","step":"\u001b","storedVersion":"v1"})");
  expect_printable(kind.answer(marked, "v1beta1"));
}

TEST_F(QuarantineTrust, WarnsThatTheStatusGoesWithAReplace) {
  const KindConverters& kind = prepare({}, with_status(quarantined_definition()));
  k8s::Dynamic original = huge();
  original.set("status.ready", true);
  const k8s::Dynamic old = kind.answer(original, "v1")->object;
  const k8s::Dynamic whole = widget("v1", json::Object{{"mode", "fast"}});
  const json::Object request{
      {"uid", "u"}, {"operation", "UPDATE"}, {"object", whole.json()}, {"oldObject", old.json()}};
  const auto answer =
      validate_object(converters, webhook::AdmissionRequest(request, webhook::AdmissionOperation::update));
  EXPECT_TRUE(answer.allowed) << answer.status.message();
  ASSERT_EQ(answer.warnings.size(), 1);
  EXPECT_TRUE(answer.warnings[0].contains("the status of the quarantined object is not kept"))
      << answer.warnings[0];
}

}  // namespace
}  // namespace fairway::conversion
