// SPDX-License-Identifier: Apache-2.0

#include "k8s/object.h"

#include <gtest/gtest.h>

#include <memory>

#include "k8s/core.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/lease.h"

namespace fairway::k8s {
namespace {

/// A typed view as a user writes it.
class Widget : public Dynamic {
 public:
  static constexpr Resource resource{"widgets.example.com", "v1", "Widget", "widgets"};
  using Dynamic::Dynamic;
  std::string_view color() const { return text("spec.color", "red"); }
  void set_color(std::string_view color) { set("spec.color", color); }
};

constexpr std::string_view widget_text =
    R"({"kind":"Widget","apiVersion":"widgets.example.com/v1","spec":{"unknown":{"z":1,"a":[18446744073709551615]}},)"
    R"("metadata":{"name":"w","namespace":"n","uid":"u-1","resourceVersion":"12","generation":3,)"
    R"("creationTimestamp":"2026-02-19T23:09:12Z","labels":{"app":"x"}}})";

TEST(Dynamic, KeepsWhatNobodyWrote) {
  auto widget = as<Widget>(Dynamic::parse(widget_text).value());
  ASSERT_TRUE(widget) << widget.error().message;
  EXPECT_EQ(widget->to_text(), widget_text);
  EXPECT_EQ(widget->color(), "red");
  widget->set_color("blue");
  EXPECT_EQ(widget->color(), "blue");
  std::string expected(widget_text);
  expected.insert(expected.find("},\"metadata\""), R"(,"color":"blue")");
  EXPECT_EQ(widget->to_text(), expected);
}

TEST(Dynamic, ReadsItsMetadata) {
  const Dynamic object = Dynamic::parse(widget_text).value();
  EXPECT_EQ(object.group_version_kind(), (GroupVersionKind{"widgets.example.com", "v1", "Widget"}));
  EXPECT_EQ(object.key(), (Key{"n", "w"}));
  EXPECT_EQ(object.key().to_string(), "n/w");
  EXPECT_EQ(object.uid(), "u-1");
  EXPECT_EQ(object.resource_version(), "12");
  EXPECT_EQ(object.generation(), 3);
  EXPECT_EQ(format_time(object.created().value()), "2026-02-19T23:09:12Z");
  EXPECT_EQ(object.label("app"), "x");
  EXPECT_EQ(object.annotation("none"), "");
  EXPECT_FALSE(object.is_being_deleted());
  EXPECT_EQ(object.controller(), std::nullopt);
}

TEST(Dynamic, IsCopiedAndMovedWithItsDocument) {
  Dynamic first = Dynamic::parse(widget_text).value();
  Dynamic second = first;
  second.set_name("other");
  EXPECT_EQ(first.name(), "w");
  Dynamic third = std::move(second);
  EXPECT_EQ(third.name(), "other");
  first = third;
  third.set_name("third");
  EXPECT_EQ(first.name(), "other");
  first = std::move(third);
  EXPECT_EQ(first.name(), "third");
  const json::Object document = first.release();
  EXPECT_EQ(first.to_text(), "{}");
  EXPECT_EQ(View(document).text("metadata.name"), "third");
  // Typed and untyped share one layout: a store may keep one as the other.
  const std::shared_ptr<const Dynamic> stored = std::make_shared<const Widget>(make<Widget>("s"));
  EXPECT_EQ(std::static_pointer_cast<const Widget>(stored)->color(), "red");
}

TEST(Dynamic, IsNotMadeOfWhatIsNoApiObject) {
  for (const char* text : {"[]", "{}", "nonsense", R"({"kind":"A"})", R"({"apiVersion":"v1"})",
                           R"({"apiVersion":1,"kind":"A"})"}) {
    EXPECT_FALSE(Dynamic::parse(text)) << text;
  }
  const auto other = as<ConfigMap>(Dynamic::parse(widget_text).value());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "expected v1, Kind=ConfigMap, not widgets.example.com/v1, Kind=Widget");
}

TEST(Dynamic, AddsAndRemovesFinalizersLabelsAndAnnotations) {
  Widget widget = make<Widget>("w", "n");
  EXPECT_TRUE(widget.add_finalizer("example.com/a"));
  EXPECT_FALSE(widget.add_finalizer("example.com/a"));
  EXPECT_TRUE(widget.add_finalizer("example.com/b"));
  EXPECT_EQ(widget.finalizers(), (std::vector<std::string_view>{"example.com/a", "example.com/b"}));
  EXPECT_TRUE(widget.remove_finalizer("example.com/a"));
  EXPECT_FALSE(widget.remove_finalizer("example.com/a"));
  EXPECT_TRUE(widget.has_finalizer("example.com/b"));
  EXPECT_TRUE(widget.remove_finalizer("example.com/b"));
  widget.set_label("a.b/c", "1");
  widget.set_annotation("d", "2");
  EXPECT_EQ(widget.label("a.b/c"), "1");
  EXPECT_TRUE(widget.remove_label("a.b/c"));
  EXPECT_TRUE(widget.remove_annotation("d"));
  EXPECT_FALSE(widget.remove_annotation("d"));
  widget.set_resource_version("5");
  widget.set_resource_version("");
  EXPECT_EQ(
      widget.to_text(),
      R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"}})");
}

TEST(Dynamic, HasOneControllerAndManyOwners) {
  Dynamic owner = Dynamic::parse(widget_text).value();
  ConfigMap owned = make<ConfigMap>("c", "n");
  ASSERT_TRUE(owned.set_owner(owner));
  ASSERT_TRUE(owned.set_owner(owner));
  ASSERT_EQ(owned.owners().size(), 1U);
  EXPECT_EQ(
      json::to_text(owned.controller()->json()),
      R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","name":"w","uid":"u-1","controller":true,"blockOwnerDeletion":true})");
  Dynamic second = owner;
  second.set("metadata.uid", "u-2");
  second.set_name("v");
  EXPECT_EQ(owned.set_owner(second).error().code, ErrorCode::conflict);
  ASSERT_TRUE(owned.set_owner(second, false));
  EXPECT_EQ(owned.owners().size(), 2U);
  EXPECT_EQ(owned.controller()->uid(), "u-1");
  second.set_namespace_name("elsewhere");
  EXPECT_EQ(owned.set_owner(second, false).error().code, ErrorCode::invalid);
  second.erase("metadata.uid");
  EXPECT_EQ(owned.set_owner(second, false).error().code, ErrorCode::invalid);
}

TEST(Key, IsWrittenAsItIsRead) {
  EXPECT_EQ(Key::parse("a/b"), (Key{"a", "b"}));
  EXPECT_EQ(Key::parse("b"), (Key{"", "b"}));
  for (const char* text : {"", "/", "a/", "/b", "a/b/c"}) EXPECT_FALSE(Key::parse(text)) << text;
}

TEST(Secret, KeepsBytesAsBase64) {
  Secret secret = make<Secret>("s", "n");
  const std::string bytes("\0\xff", 2);
  secret.set_data("tls.key", bytes);
  EXPECT_EQ(secret.map("data").find("tls.key"), "AP8=");
  EXPECT_EQ(secret.data("tls.key"), bytes);
  EXPECT_EQ(secret.data("other"), std::nullopt);
  secret.set_entry("data", "broken", "?");
  EXPECT_EQ(secret.data("broken"), std::nullopt);
  EXPECT_TRUE(secret.remove_data("broken"));
}

TEST(ConfigMap, HoldsTexts) {
  ConfigMap map = make<ConfigMap>("c", "n");
  map.set_data("a.yaml", "x: 1\n");
  EXPECT_EQ(map.data().find("a.yaml"), "x: 1\n");
  EXPECT_FALSE(map.immutable());
}

TEST(Event, RefersToItsObject) {
  Event event = make<Event>("e", "n");
  event.set_involved_object(Dynamic::parse(widget_text).value());
  event.set_component("widgets", "pod-1");
  const WallTime now = parse_time("2026-02-19T23:09:12Z").value();
  event.set_times(2, now, now + std::chrono::seconds(1));
  EXPECT_EQ(event.involved_object().text("uid"), "u-1");
  EXPECT_EQ(event.count(), 2);
  EXPECT_EQ(event.last(), now + std::chrono::seconds(1));
  EXPECT_EQ(event.component(), "widgets");
}

TEST(Lease, WritesTimesWithMicroseconds) {
  Lease lease = make<Lease>("l", "n");
  lease.set_renew_time(parse_time("2026-02-19T23:09:12Z").value() + std::chrono::nanoseconds(12'345'999));
  lease.set_acquire_time(WallTime{} - std::chrono::microseconds(1));
  lease.set_duration(std::chrono::seconds(15));
  EXPECT_EQ(lease.renew_time(), "2026-02-19T23:09:12.012345Z");
  EXPECT_EQ(lease.acquire_time(), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(lease.duration(), std::chrono::seconds(15));
  for (const char* text : {"2026-02-19T23:09:12.012345Z", "2026-02-20T00:09:12.0123459+01:00"}) {
    EXPECT_EQ(format_micro_time(parse_micro_time(text).value()), "2026-02-19T23:09:12.012345Z");
  }
  EXPECT_EQ(format_micro_time(parse_micro_time("2026-02-19T23:09:12Z").value()),
            "2026-02-19T23:09:12.000000Z");
  EXPECT_FALSE(parse_micro_time("2026"));
}

TEST(CustomResourceDefinition, SaysWhichVersionsItHas) {
  const auto definition = as<CustomResourceDefinition>(
      Dynamic::parse(
          R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
              "spec":{"group":"example.com","scope":"Cluster","names":{"kind":"Widget","plural":"widgets"},
                "versions":[{"name":"v1beta1","served":true,"storage":true,"subresources":{"status":{}}},{"name":"v1"}]},
              "status":{"storedVersions":["v1beta1"],"conditions":[{"type":"Established","status":"True"},
                {"type":"NamesAccepted","status":"Unknown"}]}})")
          .value());
  ASSERT_TRUE(definition) << definition.error().message;
  EXPECT_EQ(definition->scope(), Scope::cluster);
  EXPECT_EQ(definition->storage_version(), "v1beta1");
  EXPECT_EQ(definition->versions_by_priority(), (std::vector<std::string>{"v1", "v1beta1"}));
  EXPECT_EQ(definition->stored_versions(), (std::vector<std::string_view>{"v1beta1"}));
  EXPECT_TRUE(definition->is_established());
  EXPECT_FALSE(definition->names_accepted());
  EXPECT_TRUE(definition->versions().front().has_status());
}

}  // namespace
}  // namespace fairway::k8s
