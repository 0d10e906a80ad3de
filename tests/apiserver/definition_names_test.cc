// SPDX-License-Identifier: Apache-2.0

// Names and conditions of CustomResourceDefinitions.
#include "apiserver/internal/definitions/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "apiserver/internal/definitions/check_definition.h"
#include "base/base64.h"
#include "http/certificate.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::apiserver::definitions {
namespace {

using namespace std::chrono_literals;

const WallTime start = WallTime(1'800'000'000s);

json::Object definition(const std::string& plural, const std::string& kind,
                        const std::string& short_name = {}) {
  json::Object names{
      {"plural", plural}, {"singular", plural + "-one"}, {"kind", kind}, {"listKind", kind + "List"}};
  if (!short_name.empty()) names["shortNames"] = json::Array{json::Value(short_name)};
  return json::Object{
      {"metadata", json::Object{{"name", plural + ".example.com"}}},
      {"spec", json::Object{{"group", "example.com"}, {"names", std::move(names)}}},
      {"status",
       json::Object{{"conditions", nullptr}, {"acceptedNames", json::Object{{"plural", ""}, {"kind", ""}}}}}};
}

std::string conditions_of(const json::Object& document) {
  std::string text;
  for (const k8s::View& condition : k8s::View(document).items("status.conditions")) {
    text += std::string(condition.text("type")) + "=" + std::string(condition.text("status")) + " " +
            std::string(condition.text("reason")) + ": " + std::string(condition.text("message")) + "\n";
  }
  return text;
}

TEST(DefinitionNames, AreAcceptedWhereNobodyHasThem) {
  json::Object widgets = definition("widgets", "Widget", "wd");
  EXPECT_TRUE(accept_names(widgets, {}, start));
  EXPECT_EQ(conditions_of(widgets),
            "NamesAccepted=True NoConflicts: no conflicts found\n"
            "Established=True InitialNamesAccepted: the initial names have been accepted\n");
  EXPECT_EQ(k8s::View(widgets).at("status.acceptedNames").json(), k8s::View(widgets).at("spec.names").json());
  EXPECT_FALSE(accept_names(widgets, {}, start + 1h));
}

TEST(DefinitionNames, OfAnotherDefinitionAreNotGiven) {
  json::Object widgets = definition("widgets", "Widget", "wd");
  accept_names(widgets, {}, start);
  struct Case {
    json::Object definition;
    std::string expected;
  };
  const Case cases[] = {
      {definition("gadgets", "Widget"), "ListKindConflict: \"WidgetList\" is already in use"},
      {definition("gadgets", "Gadget", "wd"), "ShortNamesConflict: \"wd\" is already in use"},
      {definition("gadgets", "WidgetList"), "KindConflict: \"WidgetList\" is already in use"},
      {definition("wd", "Gadget"), "PluralConflict: \"wd\" is already in use"},
  };
  for (const Case& c : cases) {
    json::Object other = c.definition;
    EXPECT_TRUE(accept_names(other, {&widgets}, start));
    EXPECT_EQ(conditions_of(other), "NamesAccepted=False " + c.expected +
                                        "\nEstablished=False NotAccepted: not all names are accepted\n");
  }
}

TEST(DefinitionNames, AreGivenOnceTheOtherDefinitionIsGone) {
  json::Object widgets = definition("widgets", "Widget"), other = definition("gadgets", "Widget");
  accept_names(widgets, {}, start);
  accept_names(other, {&widgets}, start);
  EXPECT_EQ(k8s::View(other).text("status.acceptedNames.kind"), "");
  EXPECT_TRUE(accept_names(other, {}, start + 1h));
  EXPECT_EQ(k8s::View(other).text("status.acceptedNames.kind"), "Widget");
  EXPECT_TRUE(k8s::CustomResourceDefinition(other).is_established());
  EXPECT_EQ(k8s::View(other).items("status.conditions")[1].find_time("lastTransitionTime"), start + 1h);
}

TEST(DefinitionNames, ThatChangeIntoOnesTakenLeaveItEstablishedWithTheOldOnes) {
  json::Object widgets = definition("widgets", "Widget"), other = definition("gadgets", "Gadget", "gd");
  accept_names(widgets, {}, start);
  accept_names(other, {&widgets}, start);
  k8s::Editor(other).set("spec.names.singular", "widgets-one");
  EXPECT_TRUE(accept_names(other, {&widgets}, start + 1h));
  EXPECT_EQ(k8s::View(other).text("status.acceptedNames.singular"), "gadgets-one");
  EXPECT_TRUE(k8s::CustomResourceDefinition(other).is_established());
  EXPECT_FALSE(k8s::CustomResourceDefinition(other).names_accepted());
}

TEST(DefinitionNames, AreNotEnoughWhereTheCaBundleCannotBeRead) {
  const auto with_bundle = [](json::Object document, const std::string& bundle) {
    k8s::Editor(document).set("spec.conversion.strategy", "Webhook");
    k8s::Editor(document).set("spec.conversion.webhook.clientConfig.caBundle", bundle);
    return document;
  };
  const std::string good =
      base64_encode(http::make_authority("test", {start, start + 1h}).value().certificate);
  const std::string half = base64_encode("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  for (const std::string& bundle : {base64_encode("Cg=="), base64_encode("\n"), half}) {
    json::Object widgets = with_bundle(definition("widgets", "Widget"), bundle);
    EXPECT_TRUE(accept_names(widgets, {}, start));
    EXPECT_EQ(conditions_of(widgets),
              "NamesAccepted=True NoConflicts: no conflicts found\n"
              "Established=False InvalidCABundle: The conversion webhook CABundle is invalid\n");
    EXPECT_FALSE(accept_names(widgets, {}, start + 1h));
    // Once it can be read, it may not become one that cannot be.
    json::Object mended = with_bundle(widgets, good);
    EXPECT_TRUE(accept_names(mended, {}, start + 1h));
    EXPECT_TRUE(k8s::CustomResourceDefinition(mended).is_established());
    const auto complains = [&](const json::Object& next, const json::Object& old) {
      return std::ranges::any_of(check_definition_update(next, old), [](const schema::Violation& problem) {
        return problem.path == "spec.conversion.webhookClientConfig.caBundle";
      });
    };
    EXPECT_TRUE(complains(with_bundle(mended, bundle), mended));
    EXPECT_FALSE(complains(with_bundle(mended, bundle), widgets));
    EXPECT_FALSE(complains(mended, mended));
  }
}

}  // namespace
}  // namespace fairway::apiserver::definitions
