// SPDX-License-Identifier: Apache-2.0

// Replicas that quarantine a kind beside others that do not: of another release, or with other flags.
#include <gtest/gtest.h>

#include "conversion/quarantine_server.h"
#include "k8s/quarantine.h"
#include "support/is_ok.h"

namespace fairway::conversion {
namespace {

using testing::quarantined_definition;
using testing::QuarantineServer;

std::vector<webhook::Handler> handlers_without_quarantine(metrics::Registry& metrics) {
  const auto converters = std::make_shared<Converters>();
  testing::add_quarantined_widgets(*converters)
      .validates("v1", [](const k8s::Dynamic&, const k8s::Dynamic*) { return Result<void>(); })
      .quarantine(false);
  if (auto ready = converters->prepare({quarantined_definition()}); !ready)
    throw std::runtime_error(ready.error().message);
  return webhook_handlers(converters, {quarantined_definition()}, metrics);
}

TEST(QuarantineRollout, NoReplicaWithoutQuarantineLosesAnOriginal) {
  QuarantineServer server;
  server.store("bad", "huge");
  server.store("good", "S");
  metrics::Registry metrics;
  server.ask_instead(handlers_without_quarantine(metrics));
  for (const char* body : {R"({"metadata":{"annotations":null}})", R"({"metadata":{"labels":{"a":"b"}}})",
                           R"({"spec":{"mode":"fast"}})"}) {
    EXPECT_FALSE(server.patch("bad", "v1", body)) << body;
  }
  // It does not know which objects are quarantined, so no write passes.
  EXPECT_FALSE(server.patch("good", "v1", R"({"spec":{"mode":"fast"}})"));
  server.ask_instead({});
  const auto original = server.read("bad", "v1beta1");
  ASSERT_OK(original);
  EXPECT_EQ(json::to_text(*original->find("spec")), R"({"size":"huge","number":9007199254740993})");
  EXPECT_FALSE(original->has("metadata.annotations")) << original->to_text();
  EXPECT_TRUE(k8s::is_quarantined(*server.read("bad", "v1")));
  EXPECT_OK(server.patch("good", "v1", R"({"spec":{"mode":"fast"}})"));
}

/// A replica that does not quarantine checks the marks that another one makes.
class MarksWithoutQuarantine : public ::testing::Test {
 protected:
  MarksWithoutQuarantine() {
    testing::prepare_quarantined_widgets(on_);
    testing::add_quarantined_widgets(off_).quarantine(false);
    if (auto ready = off_.prepare({quarantined_definition()}); !ready)
      throw std::runtime_error(ready.error().message);
  }

  /// Returns the error of a write; "": there is none.
  std::string error_of(const k8s::Dynamic& object, const k8s::Dynamic* old) const {
    const auto valid = off_.find(testing::group, "Widget")->validate(object, old);
    return valid ? "" : valid.error().message;
  }
  k8s::Dynamic quarantined() const {
    return on_.find(testing::group, "Widget")
        ->answer(testing::widget("v1beta1", json::Object{{"size", "huge"}}), "v1")
        .value()
        .object;
  }

 private:
  Converters on_, off_;
};

TEST_F(MarksWithoutQuarantine, AreNotTakenAwayNorWrittenBeside) {
  const k8s::Dynamic old = quarantined();
  k8s::Dynamic labelled = old, bare = old, status = old;
  labelled.set("metadata.labels.a", "b");
  bare.erase("metadata.annotations");
  status.set("status.ready", true);
  EXPECT_TRUE(error_of(labelled, &old).starts_with("the object is quarantined")) << error_of(labelled, &old);
  EXPECT_TRUE(error_of(status, &old).starts_with("the object is quarantined")) << error_of(status, &old);
  EXPECT_TRUE(error_of(bare, &old).contains("its content would be lost")) << error_of(bare, &old);
  EXPECT_EQ(error_of(testing::widget("v1", json::Object{{"mode", "fast"}}), &old), "");
}

TEST_F(MarksWithoutQuarantine, AreNotMadeUp) {
  const std::string alone = "are set by the conversion webhook alone";
  EXPECT_TRUE(error_of(quarantined(), nullptr).contains(alone)) << error_of(quarantined(), nullptr);
  const k8s::Dynamic whole = testing::widget("v1", json::Object{{"mode", "fast"}});
  k8s::Dynamic marked = whole;
  marked.set_annotation(k8s::original_annotation, "{}");
  EXPECT_TRUE(error_of(marked, &whole).contains(alone)) << error_of(marked, &whole);
}

TEST_F(MarksWithoutQuarantine, KeepDefaultsAwayWhereThereIsNoContent) {
  Converters off;
  testing::add_quarantined_widgets(off)
      .defaults("v1", [](k8s::Dynamic& object) { object.set("spec.mode", "filled"); })
      .quarantine(false);
  ASSERT_TRUE(off.prepare({quarantined_definition()}));
  const auto is_filled = [&](const k8s::Dynamic& object) {
    const json::Object request{{"uid", "u"}, {"operation", "UPDATE"}, {"object", object.json()}};
    const auto answer =
        default_object(off, webhook::AdmissionRequest(request, webhook::AdmissionOperation::update));
    return answer.changed.has_value();
  };
  k8s::Dynamic object = quarantined();
  EXPECT_FALSE(is_filled(object));
  object.set("spec.mode", "fast");
  EXPECT_TRUE(is_filled(object));
}

TEST_F(MarksWithoutQuarantine, HoldUpNoStatusThatWasConverted) {
  Converters off;
  testing::add_quarantined_widgets(off).keep_lost_status().quarantine(false);
  ASSERT_TRUE(off.prepare({quarantined_definition()}));
  const k8s::Dynamic whole = testing::widget("v1", json::Object{{"mode", "fast"}});
  const auto is_allowed = [&](const char* subresource) {
    json::Object request{
        {"uid", "u"},
        {"operation", "UPDATE"},
        {"kind", json::Object{{"group", testing::group}, {"version", "v1"}, {"kind", "Widget"}}},
        {"requestKind", json::Object{{"version", "v1beta1"}}},
        {"subResource", subresource},
        {"object", whole.json()},
        {"oldObject", whole.json()}};
    return validate_object(off, webhook::AdmissionRequest(request, webhook::AdmissionOperation::update))
        .allowed;
  };
  EXPECT_TRUE(is_allowed("status"));
  // Its annotation may have lost fields of the status.
  EXPECT_FALSE(is_allowed(""));
}

TEST_F(MarksWithoutQuarantine, HoldNobodyUpBesideContentThatWasThere) {
  k8s::Dynamic old = testing::widget("v1", json::Object{{"mode", "fast"}});
  old.set_annotation(k8s::quarantined_annotation, "x");
  k8s::Dynamic changed = old;
  changed.set("spec.mode", "quick");
  EXPECT_EQ(error_of(changed, &old), "");
  // Nor has anything to convert that did not have to before.
  const k8s::Dynamic huge = testing::widget("v1beta1", json::Object{{"size", "huge"}});
  EXPECT_EQ(error_of(huge, nullptr), "");
}

}  // namespace
}  // namespace fairway::conversion
