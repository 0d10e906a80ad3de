// SPDX-License-Identifier: Apache-2.0

#include "conversion/converters.h"

#include <gtest/gtest.h>

#include "conversion/widgets.h"

namespace fairway::conversion {
namespace {

using testing::add_widgets;
using testing::widget;

json::Value parse(std::string_view text) {
  return json::parse(text).value();
}

/// Makes a step that records its path.
Step record(const std::string& what) {
  return [what](k8s::Dynamic object) -> Result<k8s::Dynamic> {
    object.array("spec.way").emplace_back(what);
    return object;
  };
}

std::string way_of(const k8s::Dynamic& object) {
  std::string way;
  for (const std::string_view step : object.texts("spec.way"))
    way += (way.empty() ? "" : " ") + std::string(step);
  return way;
}

k8s::CustomResourceDefinition definition(const std::vector<std::string>& versions,
                                         const std::vector<std::string>& stored) {
  auto made = k8s::make<k8s::CustomResourceDefinition>("widgets.widgets.example.com");
  made.set("spec.group", testing::group);
  made.set("spec.names.kind", "Widget");
  for (const std::string& version : versions) made.append("spec.versions").set("name", version);
  for (const std::string& version : stored) made.array("status.storedVersions").emplace_back(version);
  return made;
}

namespace v1beta1 {
class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{testing::group, "v1beta1", "Widget", "widgets"};
  using Dynamic::Dynamic;
};
}  // namespace v1beta1
namespace v1 {
class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{testing::group, "v1", "Widget", "widgets"};
  using Dynamic::Dynamic;
  std::string_view mode() const { return text("spec.mode"); }
};
}  // namespace v1

Result<v1::Widget> upgrade(const v1beta1::Widget& older) {
  v1::Widget newer(older.json());
  newer.set("spec.mode", "upgraded");
  return newer;
}
Result<v1beta1::Widget> downgrade(const v1::Widget& newer) {
  v1beta1::Widget older(newer.json());
  older.erase("spec.mode");
  return older;
}

TEST(Converters, TakeAsFewStepsAsTheyCan) {
  Converters converters;
  auto& kind = converters.kind(testing::group, "Widget")
                   .step("v1alpha1", "v1alpha2", record("a1-a2"), record("a2-a1"))
                   .step("v1alpha2", "v1beta1", record("a2-b1"), record("b1-a2"))
                   .step("v1beta1", "v1", record("b1-v1"), record("v1-b1"))
                   .step("v1alpha2", "v1", record("a2-v1"), record("v1-a2"));
  ASSERT_TRUE(converters.prepare());
  EXPECT_EQ(way_of(*kind.convert(widget("v1alpha1", parse("{}")), "v1")), "a1-a2 a2-v1");
  EXPECT_EQ(way_of(*kind.convert(widget("v1", parse("{}")), "v1alpha1")), "v1-a2 a2-a1");
  EXPECT_EQ(way_of(*kind.convert(widget("v1beta1", parse("{}")), "v1")), "b1-v1");
  EXPECT_EQ(kind.path("v1alpha1", "v1beta1"), (std::vector<std::string>{"v1alpha1", "v1alpha2", "v1beta1"}));
  const auto same = kind.convert(widget("v1", parse(R"({"a":1})")), "v1");
  EXPECT_EQ(way_of(*same), "");
}

TEST(Converters, TypedStepsAreFunctionsOfTheViews) {
  Converters converters;
  converters.kind(testing::group, "Widget")
      .step<v1beta1::Widget, v1::Widget>(upgrade, downgrade)
      .defaults<v1::Widget>([](v1::Widget& widget) { widget.set("spec.color", "red"); });
  ASSERT_TRUE(converters.prepare());
  const auto newer = converters.convert(widget("v1beta1", parse(R"({"unknown":9007199254740993})")), "v1");
  ASSERT_TRUE(newer) << newer.error().message;
  EXPECT_EQ(newer->to_text(),
            R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"one",)"
            R"("namespace":"default","uid":"5e1f0c3a"},"spec":{"unknown":9007199254740993,)"
            R"("mode":"upgraded","color":"red"}})");
  const auto older = converters.convert(*newer, "widgets.example.com/v1beta1");
  ASSERT_TRUE(older);
  EXPECT_FALSE(older->has("spec.mode"));
}

TEST(Converters, SimpleOnesHaveTheNeighbourBelowThemByPriority) {
  Converters converters;
  auto& kind = converters.kind(testing::group, "Widget")
                   .simple("v1", record("b1-v1"), record("v1-b1"))
                   .simple("v1beta1", record("a2-b1"), record("b1-a2"))
                   .simple("v2alpha1", record("a1-a2"), record("a2-a1"));
  const auto bare = converters.prepare();
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().message.find("v2alpha1 has a simple converter, but no version is below it"),
            std::string::npos)
      << bare.error().message;
  // A priority and no history: v2alpha1 is below v1beta1.
  ASSERT_TRUE(converters.prepare({definition({"v1", "v2alpha1", "v1beta1", "v1alpha1"}, {})}));
  EXPECT_EQ(kind.version_names(), (std::vector<std::string>{"v1alpha1", "v2alpha1", "v1beta1", "v1"}));
  EXPECT_EQ(way_of(*kind.convert(widget("v1alpha1", parse("{}")), "v1")), "a1-a2 a2-b1 b1-v1");
  EXPECT_EQ(way_of(*kind.convert(widget("v1", parse("{}")), "v2alpha1")), "v1-b1 b1-a2");
}

class Stamp : public Convertible {
 public:
  Result<k8s::Dynamic> convert(k8s::Dynamic object, std::string_view version) const override {
    object.array("spec.way").emplace_back("any-" + std::string(version));
    return object;
  }
};

TEST(Converters, AnyStrategyAndAHubAreTwoMoreWays) {
  Converters any;
  any.kind(testing::group, "Widget").convertible({"v1", "v2", "v3"}, std::make_shared<Stamp>());
  ASSERT_TRUE(any.prepare());
  EXPECT_EQ(way_of(*any.convert(widget("v3", parse("{}")), "v1")), "any-v1");

  Converters hub;
  auto& kind = hub.kind(testing::group, "Widget")
                   .spoke<v1::Widget, v1beta1::Widget>(upgrade, downgrade)
                   .step("v1alpha1", "v1", record("to-hub"), record("from-hub"));
  ASSERT_TRUE(hub.prepare());
  EXPECT_EQ(kind.path("v1alpha1", "v1beta1"), (std::vector<std::string>{"v1alpha1", "v1", "v1beta1"}));
}

TEST(Converters, EveryPairOfVersionsMustHaveAPath) {
  Converters converters;
  add_widgets(converters);
  ASSERT_TRUE(converters.prepare());
  ASSERT_TRUE(converters.prepare({definition({"v1", "v1beta1"}, {"v1alpha1"})}));
  const auto missing = converters.prepare({definition({"v1", "v2"}, {"v0"})});
  ASSERT_FALSE(missing);
  for (const std::string pair : {"v0 to v1", "v1 to v0", "v2 to v1alpha1", "v1beta1 to v2", "v0 to v2"}) {
    EXPECT_NE(missing.error().message.find("from " + pair), std::string::npos) << missing.error().message;
  }
  EXPECT_EQ(missing.error().message.find("v1 to v1beta1"), std::string::npos) << missing.error().message;

  Converters none;
  const auto unknown = none.prepare({definition({"v1", "v2"}, {})});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("Widget.widgets.example.com: it has several versions"),
            std::string::npos);
  EXPECT_TRUE(none.prepare({definition({"v1"}, {"v1"})}));
}

TEST(Converters, NameTheObjectInErrors) {
  Converters converters;
  add_widgets(converters);
  const auto early = converters.convert(widget("v1beta1", parse("{}")), "v1");
  ASSERT_FALSE(early);
  EXPECT_NE(early.error().message.find("not prepared"), std::string::npos);
  ASSERT_TRUE(converters.prepare());

  const auto refused = converters.convert(widget("v1alpha1", parse(R"({"size":"huge"})")), "v1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "Widget default/one: converting from v1alpha1 to v1, in the step from v1beta1 to v1: spec.size: "
            "'huge' is no size");
  EXPECT_EQ(converters.find(testing::group, "Widget")
                ->with_values(widget("v1alpha1", parse(R"({"size":"huge"})")), "v1", refused.error())
                .message,
            refused.error().message + " (spec.size is \"huge\" in v1alpha1 and in v1beta1)");
  for (const auto& [version, says] : std::vector<std::pair<std::string, std::string>>{
           {"v9", "there is no version v9; there are v1alpha1, v1beta1, v1"},
           {"other.example.com/v1", "which is of another group"}}) {
    const auto wrong = converters.convert(widget("v1", parse("{}")), version);
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().message.find(says), std::string::npos) << wrong.error().message;
  }

  Converters throwing;
  throwing.kind(testing::group, "Widget")
      .step(
          "v1", "v2",
          [](k8s::Dynamic object) -> Result<k8s::Dynamic> {
            object.json().at("spec").at("absent");
            return object;
          },
          same_schema);
  ASSERT_TRUE(throwing.prepare());
  const auto thrown = throwing.convert(widget("v1", parse("{}")), "v2");
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().code, ErrorCode::invalid);
  EXPECT_NE(thrown.error().message.find("Widget default/one"), std::string::npos);
  EXPECT_NE(thrown.error().message.find("the step ended with an exception: "), std::string::npos);
}

TEST(Converters, OfMetadataOnlyLabelsAndAnnotationsMayChange) {
  const auto through = [](const Step& step) {
    Converters converters;
    converters.kind(testing::group, "Widget").step("v1", "v2", step, same_schema);
    if (!converters.prepare()) throw std::runtime_error("not prepared");
    k8s::Dynamic object = widget("v1", parse("{}"));
    object.set_label("a", "1");
    object.append("metadata.managedFields").set("manager", "kubectl");
    auto converted = converters.convert(std::move(object), "v2");
    return converted ? json::to_text(*converted->find("metadata")) : converted.error().message;
  };
  const auto with = [](const std::string& rest) {
    return R"({"name":"one","namespace":"default","uid":"5e1f0c3a")" + rest + "}";
  };
  const std::string managed = R"(,"managedFields":[{"manager":"kubectl"}])";
  EXPECT_EQ(through([](k8s::Dynamic object) -> Result<k8s::Dynamic> {
              EXPECT_FALSE(object.has("metadata.managedFields"));
              object.set_name("other");
              object.erase("metadata.uid");
              object.set("metadata.generation", 7);
              return object;
            }),
            with(R"(,"labels":{"a":"1"})" + managed));
  EXPECT_EQ(through([](k8s::Dynamic object) -> Result<k8s::Dynamic> {
              object.remove_label("a");
              object.set_annotation("example.com/b", "2");
              return object;
            }),
            with(managed + R"(,"annotations":{"example.com/b":"2"})"));
  EXPECT_EQ(through([](k8s::Dynamic object) -> Result<k8s::Dynamic> {
              object.erase("metadata");
              return object;
            }),
            with(R"(,"labels":{"a":"1"})" + managed));
  EXPECT_NE(through([](k8s::Dynamic object) -> Result<k8s::Dynamic> {
              object.set("metadata.labels.b", 2);
              return object;
            }).find("metadata.labels[\"b\"]: it must be a text"),
            std::string::npos);
  EXPECT_NE(through([](k8s::Dynamic object) -> Result<k8s::Dynamic> {
              object.set_label("not a key", "2");
              return object;
            }).find("metadata.labels[\"not a key\"]: "),
            std::string::npos);
}

TEST(Converters, GoBackByTheSamePath) {
  Converters converters;
  const Step same = [](k8s::Dynamic object) -> Result<k8s::Dynamic> { return object; };
  auto& kind = converters.kind("g.io", "A")
                   .step("v1alpha1", "v1beta1", same, same)
                   .step("v1beta2", "v1", same, same)
                   .step("v1alpha1", "v1beta2", same, same)
                   .step("v1beta1", "v1", same, same);
  ASSERT_TRUE(converters.prepare());
  auto there = kind.path("v1alpha1", "v1");
  ASSERT_EQ(there.size(), 3U);
  std::ranges::reverse(there);
  EXPECT_EQ(kind.path("v1", "v1alpha1"), there);
}

TEST(Converters, ValidateVersionsWithoutACheckInOneThatHasIt) {
  Converters converters;
  auto& kind = add_widgets(converters)
                   .validates("v1", [](const k8s::Dynamic& object, const k8s::Dynamic* old) -> Result<void> {
                     if (object.text("spec.capacity.size") == "XXL")
                       return invalid_field("spec.capacity.size", "too large");
                     if (old != nullptr && old->text("spec.capacity.size") == "S")
                       return invalid_field("spec", "it stays");
                     return {};
                   });
  ASSERT_TRUE(converters.prepare());
  const auto beta = [](std::string_view spec) { return widget("v1beta1", parse(spec)); };
  const k8s::Dynamic small = beta(R"({"size":"S"})"), medium = beta(R"({"size":"M"})");
  EXPECT_TRUE(kind.validate(small, nullptr));
  EXPECT_TRUE(kind.validate(small, &medium));
  EXPECT_FALSE(kind.validate(medium, &small));
  EXPECT_FALSE(kind.validate(beta(R"({"size":"XXL"})"), nullptr));
  EXPECT_FALSE(kind.validate(widget("v9", parse("{}")), nullptr)) << "it cannot be converted";
}

TEST(Converters, ValidateAndDefaultInTheObjectsOwnVersion) {
  Converters converters;
  auto& kind =
      add_widgets(converters)
          .defaults<v1::Widget>([](v1::Widget& widget) {
            if (widget.mode().empty()) widget.set("spec.mode", "slow");
          })
          .validates<v1::Widget>([](const v1::Widget& widget, const v1::Widget* old) -> Result<void> {
            if (old != nullptr && old->mode() != widget.mode()) {
              return invalid_field("spec.mode", "it cannot change");
            }
            return {};
          });
  ASSERT_TRUE(converters.prepare());
  k8s::Dynamic object = widget("v1", parse("{}"));
  kind.fill_defaults(object);
  EXPECT_EQ(object.text("spec.mode"), "slow");
  EXPECT_TRUE(kind.validate(object, nullptr));
  const k8s::Dynamic fast = widget("v1", parse(R"({"mode":"fast"})"));
  EXPECT_FALSE(kind.validate(object, &fast));
  k8s::Dynamic beta = widget("v1beta1", parse("{}"));
  kind.fill_defaults(beta);
  EXPECT_FALSE(beta.has("spec.mode"));
  EXPECT_EQ(converters.convert(beta, "v1")->text("spec.mode"), "slow");
}

}  // namespace
}  // namespace fairway::conversion
