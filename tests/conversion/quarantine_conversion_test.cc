// SPDX-License-Identifier: Apache-2.0

// A Conversion of a kind with quarantined objects.
#include <gtest/gtest.h>

#include "conversion/migration/conversion_controller.h"
#include "conversion/quarantine_server.h"
#include "k8s/condition.h"
#include "support/is_ok.h"

namespace fairway::conversion {
namespace {

using testing::quarantined_definition;
using testing::QuarantineServer;

TEST(QuarantineConversion, HasAConditionWhileObjectsAreQuarantined) {
  QuarantineServer server;
  for (const char* name : {"good", "bad", "worse"})
    server.store(name, std::string_view(name) == "good" ? "S" : "huge");
  server.serve(quarantined_definition("v1"));
  server.apply(read_file(std::string(FAIRWAY_SOURCE_DIR) + "/deploy/migration/conversion-crd.yaml").value());
  const auto conversions = Conversion::resource.group_version_resource();
  Conversion wanted;
  wanted.set_resource(Conversion::resource);
  wanted.set_name("up");
  wanted.set_namespace_name("default");
  wanted.set(
      "spec",
      json::Object{
          {"group", testing::group}, {"kind", "Widget"}, {"oldVersion", "v1beta1"}, {"newVersion", "v1"}});
  ASSERT_OK(server.client()->create(conversions, wanted));
  const auto condition = [&](const char* type) -> std::string {
    EXPECT_OK(reconcile_conversion(*server.client(), {"default", "up"}, {.settle = {}}, {}));
    const k8s::Dynamic object = server.client()->get(conversions, {"default", "up"}).value();
    const auto found = k8s::find_condition(object, type);
    if (!found) return "none";
    return std::string(k8s::to_string(found->status())) + "/" + std::string(found->reason()) + ": " +
           std::string(found->message());
  };
  EXPECT_EQ(condition("Quarantined"),
            "True/ObjectsQuarantined: 2 objects do not convert to v1 and are served without content: widgets "
            "default/bad, widgets default/worse");
  ASSERT_OK(server.patch("worse", "v1beta1", R"({"spec":{"size":"M"}})"));
  EXPECT_EQ(condition("Quarantined"),
            "True/ObjectsQuarantined: 1 object does not convert to v1 and is served without content: widgets "
            "default/bad");
  ASSERT_OK(server.client()->remove(QuarantineServer::widgets("v1"), {"default", "bad"}));
  EXPECT_TRUE(condition("Completed").starts_with("True/Completed")) << condition("Completed");
  EXPECT_EQ(condition("Quarantined"), "none");
}

}  // namespace
}  // namespace fairway::conversion
