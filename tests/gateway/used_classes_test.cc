// SPDX-License-Identifier: Apache-2.0

// A class that Gateways use cannot be deleted until none does.
#include "gateway/internal/attachment/used_classes.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "gateway/internal/offline/sources.h"
#include "gateway/traffic.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

std::string class_document(const std::string& name, const std::string& metadata = "",
                           const std::string& controller = "fairway.dev/gateway") {
  return "{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: " + name +
         metadata + "}, spec: {controllerName: " + controller + "}}\n---\n";
}

TEST(UsedClasses, HaveAFinalizerAndOthersHaveNone) {
  const std::string has = ", finalizers: [" + std::string(class_finalizer) + ", example.com/other]";
  const std::string ends = ", deletionTimestamp: '2026-01-01T00:00:00Z'";
  const auto objects = read_sources(
      {{.name = "objects",
        .text = class_document("a-left", has) + class_document("b-left-ends", has + ends) +
                class_document("c-new") + class_document("d-kept", has) +
                class_document("e-kept-ends", has + ends) + class_document("f-too-late", ends) +
                class_document("g-unused") + class_document("h-foreign", "", "example.com/other") +
                "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: c, namespace: "
                "x}, spec: {gatewayClassName: c-new, listeners: []}}\n---\n"
                "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: d, namespace: "
                "x}, spec: {gatewayClassName: d-kept, listeners: []}}\n---\n"
                "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: e, namespace: "
                "x}, spec: {gatewayClassName: e-kept-ends, listeners: []}}\n---\n"
                "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: f, namespace: "
                "x}, spec: {gatewayClassName: f-too-late, listeners: []}}\n---\n"
                "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: h, namespace: "
                "x}, spec: {gatewayClassName: h-foreign, listeners: []}}\n---\n"
                "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: i, namespace: "
                "x}, spec: {gatewayClassName: nobody, listeners: []}}\n"}});
  ASSERT_TRUE(objects) << objects.error().message;
  std::string changes;
  for (const FinalizerChange& one : finalizer_changes(*objects))
    changes += (one.is_used ? "add " : "remove ") + std::string(one.object->name()) + "\n";
  EXPECT_EQ(changes, "add c-new\nremove a-left\nremove b-left-ends\n");
}

class ClassTraffic : public testing::Traffic {
 protected:
  void SetUp() override {
    Traffic::SetUp();
    if (IsSkipped()) return;
    serve("r", "{backendRefs: [{name: plain, port: 80}]}");
    ASSERT_TRUE(eventually([&] { return is_kept("fairway"); })) << rig().log();
  }
  bool is_kept(const std::string& name) const {
    const auto object = rig().get("GatewayClass", name, "");
    return object && object->has_finalizer(class_finalizer);
  }
  bool exists(const std::string& name) const { return rig().get("GatewayClass", name, "").has_value(); }
  void remove(const char* plural, const k8s::Key& key) const {
    const auto removed = rig().client().remove({"gateway.networking.k8s.io", "v1", plural}, key);
    ASSERT_TRUE(removed) << removed.error().message;
  }
  void apply_gateway_of(const std::string& name) const {
    rig().apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: shop}, "
        "spec: "
        "{gatewayClassName: " +
        name + "}}");
  }
};

TEST_F(ClassTraffic, IsServedUntilItsLastGatewayIsGoneAlsoAfterARestart) {
  remove("gatewayclasses", {"", "fairway"});
  ASSERT_TRUE(exists("fairway"));
  EXPECT_EQ(status("r"), 200);
  // A change that comes later is served, too.
  serve("later", "{backendRefs: [{name: plain, port: 80}]}");
  EXPECT_EQ(status("later"), 200);
  rig().end_controller(SIGTERM);
  rig().start_controller();
  ASSERT_TRUE(eventually([&] { return status("r") == 200; })) << rig().log();
  ASSERT_TRUE(exists("fairway"));
  remove("gateways", {"shop", "web"});
  EXPECT_TRUE(eventually([&] { return !exists("fairway"); })) << rig().log();
}

TEST_F(ClassTraffic, ThatBecomesUnusedWhileNoControllerRunsIsReleasedByTheNext) {
  rig().end_controller(SIGKILL);
  remove("gateways", {"shop", "web"});
  remove("gatewayclasses", {"", "fairway"});
  EXPECT_TRUE(exists("fairway"));
  rig().start_controller();
  EXPECT_TRUE(eventually([&] { return !exists("fairway"); })) << rig().log();
}

TEST_F(ClassTraffic, OfAGatewayThatMovesGivesItsFinalizerToTheNewOne) {
  rig().apply(class_document("other"));
  apply_gateway_of("other");
  EXPECT_TRUE(eventually([&] { return is_kept("other") && !is_kept("fairway"); })) << rig().log();
  EXPECT_TRUE(eventually([&] { return status("r") == 200; })) << rig().log();
  remove("gatewayclasses", {"", "fairway"});
  EXPECT_FALSE(exists("fairway")) << "nobody uses it";
  apply_gateway_of("nobody");
  EXPECT_TRUE(eventually([&] { return !is_kept("other"); })) << rig().log();
}

}  // namespace
}  // namespace fairway::gateway
