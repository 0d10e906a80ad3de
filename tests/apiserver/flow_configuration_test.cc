// SPDX-License-Identifier: Apache-2.0

// The FlowSchemas and PriorityLevelConfigurations of a server, and the condition that tells of a missing
// level.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/internal/flow/default_configuration.h"
#include "apiserver/server_case.h"
#include "k8s/condition.h"
#include "support/generous.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

const k8s::GroupVersionResource schemas{"flowcontrol.apiserver.k8s.io", "v1", "flowschemas"};
const k8s::GroupVersionResource levels{"flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations"};
constexpr const char* autoupdate = "apf.kubernetes.io/autoupdate-spec";

k8s::Dynamic wanted(std::string_view kind, std::string_view name) {
  for (storage::DefaultObject& one : flow::default_configuration(WallTime{})) {
    if (one.object.kind() == kind && one.object.name() == name) return std::move(one.object);
  }
  ADD_FAILURE() << "no " << kind << " " << name;
  return {};
}

TEST(FlowConfiguration, IsThatOfKubernetes) {
  std::map<std::string_view, int> counts;
  const auto objects = flow::default_configuration(WallTime{});
  for (const storage::DefaultObject& one : objects) {
    ++counts[one.object.kind()];
    EXPECT_EQ(one.object.annotations().find(autoupdate), "true");
    if (one.object.kind() != "FlowSchema") continue;
    const std::string level(one.object.text("spec.priorityLevelConfiguration.name"));
    EXPECT_EQ(wanted("PriorityLevelConfiguration", level).name(), level);
  }
  EXPECT_EQ(counts["FlowSchema"], 11);
  EXPECT_EQ(counts["PriorityLevelConfiguration"], 8);
}

TEST(FlowConfiguration, IsRevisedWhereItIsTheServersToSay) {
  struct Case {
    const char *kind, *name, *annotation;
    int generation;
    bool is_revised;
  };
  for (const Case& one :
       {Case{"FlowSchema", "probes", "true", 5, true}, Case{"FlowSchema", "probes", "false", 1, false},
        Case{"FlowSchema", "probes", "", 1, true}, Case{"FlowSchema", "probes", "", 2, false},
        Case{"FlowSchema", "probes", "perhaps", 2, false}, Case{"FlowSchema", "exempt", "false", 2, true},
        Case{"FlowSchema", "catch-all", "false", 2, true},
        Case{"PriorityLevelConfiguration", "catch-all", "false", 2, true},
        // The shares of the exempt level are the admin's.
        Case{"PriorityLevelConfiguration", "exempt", "false", 2, false},
        Case{"PriorityLevelConfiguration", "exempt", "true", 2, true}}) {
    const k8s::Dynamic to = wanted(one.kind, one.name);
    k8s::Dynamic stored(to);
    stored.erase("metadata.annotations");
    if (*one.annotation != '\0') stored.set_annotation(autoupdate, one.annotation);
    stored.set("metadata.generation", one.generation);
    EXPECT_FALSE(flow::revised(stored, to)) << one.name << ": nothing differs";
    stored.set("spec.changed", 1);
    const auto revised = flow::revised(stored, to);
    ASSERT_EQ(revised.has_value(), one.is_revised) << one.kind << " " << one.name << " " << one.annotation;
    if (!revised) continue;
    EXPECT_FALSE(revised->has("spec.changed"));
    EXPECT_EQ(revised->integer("metadata.generation"), one.generation + 1);
  }
}

class FlowSchemaConditions : public OnServer {
 protected:
  /// Waits until the condition `Dangling` of a FlowSchema has a status. Returns its message.
  std::string wait_for(const std::string& name, std::string_view status) const {
    std::string message;
    const auto take = [&](const k8s::WatchEvent& event) -> Result<void> {
      if (event.object.name() != name) return {};
      const auto condition = k8s::find_condition(event.object, "Dangling");
      if (!condition || condition->text("status") != status) return {};
      message = condition->message();
      return fail(ErrorCode::cancelled, "seen");
    };
    const auto limit = fairway::testing::generous(6s);
    [[maybe_unused]] const auto ended =
        client->watch(schemas, "", {.bookmarks = true, .initial_events = true, .timeout = limit}, take,
                      Limits::within(Clock::system(), limit + 10s));
    return message;
  }
};

TEST_F(FlowSchemaConditions, TellOfAMissingLevel) {
  EXPECT_EQ(
      wait_for("probes", "False"),
      R"(This FlowSchema references the PriorityLevelConfiguration object named "exempt" and it exists)");
  const auto made = client->create(
      schemas,
      object_of(R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema",)"
                R"("metadata":{"name":"own"},"spec":{"priorityLevelConfiguration":{"name":"mine"}}})"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(wait_for("own", "True"),
            R"(This FlowSchema references the PriorityLevelConfiguration object named "mine" )"
            "but there is no such object");
  const auto level = client->create(
      levels,
      object_of(R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration",)"
                R"("metadata":{"name":"mine"},"spec":{"type":"Limited","limited":)"
                R"({"limitResponse":{"type":"Reject"}}}})"));
  ASSERT_TRUE(level) << level.error().message;
  EXPECT_NE(wait_for("own", "False"), "");
  ASSERT_TRUE(client->remove(levels, {"", "mine"}));
  EXPECT_NE(wait_for("own", "True"), "");
}

TEST(FlowConfigurationOfAServer, StaysAsTheAdminHasIt) {
  const fairway::testing::TempDirectory folder;
  const auto options = [&] {
    ServerOptions made;
    made.data = folder.path();
    return made;
  };
  const auto shares = [](kube::Client& client, const char* name) {
    const auto level = client.get(levels, {"", name});
    return level ? level->integer("spec.limited.nominalConcurrencyShares", -1) : -2;
  };
  {
    const auto server = start_server(options());
    const auto client = client_of(*server);
    for (const char* name : {"workload-low", "workload-high", "catch-all"}) {
      auto level = client->get(levels, {"", name});
      ASSERT_TRUE(level);
      level->set("spec.limited.nominalConcurrencyShares", 7);
      if (std::string_view(name) != "workload-high") level->set_annotation(autoupdate, "false");
      ASSERT_TRUE(client->replace(levels, *std::move(level)));
    }
    ASSERT_TRUE(client->remove(levels, {"", "node-high"}));
  }
  const auto server = start_server(options());
  const auto client = client_of(*server);
  EXPECT_EQ(shares(*client, "workload-low"), 7);
  EXPECT_EQ(shares(*client, "workload-high"), 40);
  EXPECT_EQ(shares(*client, "catch-all"), 5);
  EXPECT_EQ(shares(*client, "node-high"), 40);
}

TEST(FlowConfigurationOfAServer, IsLeftOutWithItsGroup) {
  ServerOptions options;
  options.disabled_apis = {"flowcontrol.apiserver.k8s.io/v1"};
  const auto server = start_server(std::move(options));
  EXPECT_FALSE(client_of(*server)->get(schemas, {"", "exempt"}));
}

}  // namespace
}  // namespace fairway::apiserver::testing
