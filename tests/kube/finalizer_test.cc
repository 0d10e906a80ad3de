// SPDX-License-Identifier: Apache-2.0

// tests/kube/data/finalizers.json: an object, what goes over the wire for it, and what comes of it.
#include "kube/controller/finalizer.h"

#include <gtest/gtest.h>

#include "kube/data.h"
#include "kube/scripted_api.h"

namespace fairway::kube {
namespace {

TEST(Finalizer, HoldsAndReleasesAsTheTableSays) {
  for (const json::Value& value : testing::read_cases("finalizers.json")) {
    const k8s::View one(value.as_object());
    SCOPED_TRACE(one.text("name"));
    testing::ScriptedApi server(value.at("exchanges").as_array());
    ClientConfig config;
    config.server = server.url();
    config.cluster_origin = "the test's cluster";
    const auto client = Client::create(config).value();
    int cleanups = 0;
    const auto state =
        finalize(*client, {"widgets.example.com", "v1", "widgets"}, k8s::Dynamic(one.at("object").json()),
                 "widgets.example.com/paint", [&]() -> Result<void> {
                   ++cleanups;
                   if (one.has("cleanup_error")) {
                     return fail(ErrorCode::unavailable, std::string(one.text("cleanup_error")));
                   }
                   return {};
                 });
    EXPECT_EQ(server.faults(), "");
    EXPECT_EQ(cleanups, one.integer("cleanups"));
    if (one.has("error")) {
      ASSERT_FALSE(state);
      EXPECT_NE(state.error().message.find(one.text("error")), std::string::npos) << state.error().message;
    } else {
      ASSERT_TRUE(state) << state.error().message;
      EXPECT_EQ(*state == FinalizerState::present ? "present" : "finished", one.text("state"));
    }
  }
}

}  // namespace
}  // namespace fairway::kube
