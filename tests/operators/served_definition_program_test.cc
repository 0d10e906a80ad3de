// SPDX-License-Identifier: Apache-2.0

// The program on a cluster whose definition of ClusterVersion is narrower than its own.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>

#include "k8s/custom_resource_definition.h"
#include "operators/updating_case.h"
#include "support/accepted_risks.h"
#include "webhook/crd_registration.h"

namespace fairway::operators::testing {
namespace {

class NarrowerDefinition : public Updating {
 protected:
  /// Changes the properties of the status in the definition that the API server has. It is that of a newer
  /// release from then on, which the operator leaves as it is.
  void edit(const std::function<void(json::Object& properties)>& change) {
    const auto definitions = k8s::CustomResourceDefinition::resource.group_version_resource();
    ASSERT_TRUE(eventually([&] {
      auto definition = client_->get(definitions, {"", "clusterversions.config.openshift.io"});
      if (!definition) return false;
      definition->set_annotation(webhook::release_annotation, "99.0.0");
      json::Object object = definition->release();
      json::Object& version = object["spec"].as_object()["versions"].as_array().at(0).as_object();
      json::Object& schema = version["schema"].as_object()["openAPIV3Schema"].as_object();
      change(schema["properties"].as_object()["status"].as_object()["properties"].as_object());
      return client_->replace(definitions, k8s::Dynamic(std::move(object))).has_value();
    }));
    // Writes are checked by the definition of before until the server has taken up this one.
    server_->wait_until_current();
  }
  static json::Object& items(json::Object& properties, const char* list) {
    return properties[list].as_object()["items"].as_object();
  }
  /// Returns "4.6.24 | 4.7.4": the available and the conditional updates.
  std::string listed() const {
    const openshift::ClusterVersion cluster(json::Object{{"status", status()}});
    std::string all;
    for (const auto& release : cluster.available_updates()) all += std::string(release.version()) + " ";
    all += '|';
    for (const auto& update : cluster.conditional_updates())
      all += " " + std::string(update.release().version());
    return all;
  }
  std::size_t count_in_log(const std::string& text) const {
    const std::string all = log();
    std::size_t count = 0;
    for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++count;
    return count;
  }
  std::string left_out() const { return said("fairway.dev/IncompleteUpdates"); }
};

TEST_F(NarrowerDefinition, GetsWhatItTakesAndTheRestIsNamed) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "2")}});
  add_release("4.7.4", {{"0000_10_a_1.yaml", map_yaml("a", "3")}});
  begin({"--poll-interval", "1s"});
  ASSERT_TRUE(eventually([&] { return listed() == "4.6.24 | 4.7.4"; })) << why();
  // Today's operator on an older definition: it knows fewer capabilities, and other types of rules.
  edit([](json::Object& properties) {
    json::Object& capabilities = properties["capabilities"].as_object()["properties"].as_object();
    for (const char* list : {"knownCapabilities", "enabledCapabilities"})
      items(capabilities, list)["enum"] = json::Array{"Build"};
    items(properties, "availableUpdates")["x-kubernetes-validations"] =
        json::Array{json::Object{{"rule", "self.version != '4.6.24'"}, {"message", "not this one"}}};
  });
  add_release("4.6.25", {{"0000_10_a_1.yaml", map_yaml("a", "4")}});
  offer();
  set_clock(600);
  ASSERT_TRUE(eventually([&] { return listed() == "4.6.25 | 4.7.4"; })) << listed() << why();
  EXPECT_TRUE(eventually([&] {
    return left_out().contains("release 4.6.24: it cannot be listed: the API server has refused it") &&
           left_out().contains("status.capabilities.knownCapabilities[");
  })) << why();
  EXPECT_EQ(member(member(status(), "capabilities"), "knownCapabilities"), json::Value(json::Array{"Build"}));
  // What is not listed counts: the update is recommended.
  ask_for({{"version", "4.6.24"}, {"image", releases_.image("4.6.24")}});
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  EXPECT_EQ(fairway::testing::without_unsigned(text(newest(), "acceptedRisks")), "") << why();
  // A wider one gets all of it again.
  edit([](json::Object& properties) {
    json::Object& capabilities = properties["capabilities"].as_object()["properties"].as_object();
    for (const char* list : {"knownCapabilities", "enabledCapabilities"})
      items(capabilities, list).erase("enum");
    items(properties, "availableUpdates").erase("x-kubernetes-validations");
  });
  set_clock(1200);
  EXPECT_TRUE(eventually([&] {
    return member(member(status(), "capabilities"), "knownCapabilities").as_array().size() > 10 &&
           left_out() == "none";
  })) << why();
}

TEST_F(NarrowerDefinition, WithoutRoomForTheHistoryNoUpdateBegins) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "2")}});
  begin({"--poll-interval", "1s"});
  const auto try_without = [&](const std::function<void(json::Object&)>& narrow,
                               const std::function<void(json::Object&)>& widen) {
    edit(narrow);
    const std::string failed = "writing the update into ClusterVersion";
    const std::size_t before = count_in_log(failed);
    ask_for({{"version", "4.6.24"}, {"image", releases_.image("4.6.24")}});
    ASSERT_TRUE(eventually([&] { return count_in_log(failed) > before + 1; })) << why();
    EXPECT_EQ(history(), "Completed 4.6.23") << why();
    EXPECT_EQ(value("a"), "1");
    write_spec(spec());
    edit(widen);
    ASSERT_TRUE(eventually([&] { return said("ReleaseAccepted").contains("4.6.23"); })) << why();
  };
  try_without([](json::Object& properties) { properties["history"].as_object()["maxItems"] = 1; },
              [](json::Object& properties) { properties["history"].as_object().erase("maxItems"); });
  try_without(
      [](json::Object& properties) {
        items(properties, "history")["required"].as_array().push_back("one_more");
      },
      [](json::Object& properties) { items(properties, "history")["required"].as_array().pop_back(); });
  try_without(
      [](json::Object& properties) {
        items(properties, "history")["x-kubernetes-validations"] =
            json::Array{json::Object{{"rule", "self.state != 'Partial'"}, {"message", "nothing half done"}}};
      },
      [](json::Object& properties) { items(properties, "history").erase("x-kubernetes-validations"); });
  ask_for({{"version", "4.6.24"}, {"image", releases_.image("4.6.24")}});
  set_clock(600);
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
}

TEST_F(NarrowerDefinition, WhatARefusalQuotesIsNoField) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "2")}});
  begin({"--poll-interval", "1s"});
  ASSERT_TRUE(eventually([&] { return listed() == "4.6.24 |"; })) << why();
  edit([](json::Object& properties) {
    items(properties, "conditionalUpdates")["x-kubernetes-validations"] =
        json::Array{json::Object{{"rule", "self.release.version != '4.7.4'"},
                                 {"message", "see status.history: gone, status.conditions: gone"}}};
  });
  add_release("4.7.4", {{"0000_10_a_1.yaml", map_yaml("a", "3")}});
  add_release("4.6.25", {{"0000_10_a_1.yaml", map_yaml("a", "4")}});
  offer();
  set_clock(600);
  ASSERT_TRUE(eventually([&] { return listed() == "4.6.25 4.6.24 |"; })) << listed() << why();
  EXPECT_EQ(history(), "Completed 4.6.23") << why();
  EXPECT_TRUE(said("Available").starts_with("True")) << why();
  EXPECT_TRUE(left_out().contains("4.7.4")) << why();
}

}  // namespace
}  // namespace fairway::operators::testing
