// SPDX-License-Identifier: Apache-2.0

// tests/kube/data/recorded.json: calls, and what a real kube-apiserver said to them. `./dev conformance kube`
// asks a real one again; FAIRWAY_UPDATE_GOLDEN=1 before it writes anew what it said.
#include <gtest/gtest.h>

#include "kube/caller.h"
#include "kube/data.h"
#include "kube/scripted_api.h"

namespace fairway::kube {
namespace {

TEST(Client, UnderstandsWhatARealServerHasSaid) {
  const json::Array rows = testing::read_cases("recorded.json");
  EXPECT_GE(rows.size(), 20U);
  for (const json::Value& row : rows) {
    SCOPED_TRACE(std::string(*json::find_string(row, "case")));
    const testing::ScriptedApi server(row.at("exchanges").as_array());
    ClientConfig config;
    config.server = server.url();
    const auto client = Client::create(config, {.on_warning = [](std::string_view) {}});
    ASSERT_TRUE(client) << client.error().message;
    const json::Object outcome = testing::outcome_of(testing::Caller(**client, row.at("call")).run());
    EXPECT_EQ(server.faults(), "");
    EXPECT_EQ(json::to_text(outcome), json::to_text(row.at("outcome")));
  }
}

}  // namespace
}  // namespace fairway::kube
