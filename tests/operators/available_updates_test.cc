// SPDX-License-Identifier: Apache-2.0

// The recorded cases of available updates, with a stub of the update service and one of Prometheus.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "base/clock.h"
#include "operators/update_case.h"
#include "operators/update_stubs.h"
#include "operators/updates.h"
#include "operators/widened.h"
#include "risk/evaluators/remote.h"

namespace fairway::operators::testing {
namespace {

/// Result of a case.
struct Judged {
  /// Differences from the recording, and updates that must never be available.
  std::vector<std::string> faults, widened;
  bool may_differ = false;
};

Judged judge(const UpdateCase& one, const json::Value& different) {
  Stubs stubs;
  FakeClock clock(parse_time("2026-02-19T12:00:00Z").value());
  auto api = risk::PrometheusApi::create({.url = stubs.prometheus(), .proxy_environment = false});
  if (!api) return {{api.error().message}, {}};
  const auto evaluator = risk::make_remote(*std::move(api));
  const risk::Registry registry = risk::standard_registry();
  UpdateSettings settings;
  settings.accept_risks = one.flag("acceptRisksFeatureGate");
  if (!one.flag("throttledCache")) settings.polling = {.between_any = {}, .between_same = {}};
  const json::Value& current = one.input("current");
  const ListedRelease running{.version = text(current, "version"),
                              .image = text(current, "image"),
                              .multi = text(current, "architecture") == "Multi"};
  openshift::ClusterVersion cluster(
      k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name).release());
  cluster.set("spec", one.input("spec"));
  if (one.input("priorStatus").is_object()) cluster.set("status", one.input("priorStatus"));

  std::unique_ptr<Updates> updates;
  Judged judged;
  std::vector<std::string>& faults = judged.faults;
  for (std::size_t i = 0; i < one.rounds().size(); ++i) {
    const json::Value& round = one.rounds()[i];
    stubs.begin(round);
    if (!updates) {
      settings.query.upstream = stubs.upstream();
      updates = std::make_unique<Updates>(settings, registry, *evaluator, clock, [] { return 0.0; });
    }
    if (member(round, "spec").is_object()) cluster.set("spec", member(round, "spec"));
    if (i > 0)
      clock.advance(member(round, "forceRefetch") == true ? std::chrono::seconds(180)
                                                          : std::chrono::seconds(90));
    const auto inputs = updates->run(cluster, running, {});
    if (!inputs) return {{inputs.error().message}, {}};
    write_updates(cluster, *inputs);
    const json::Value status = json::Value(*cluster.find("status"));
    const json::Value* others = json::find(different, "rounds");
    for (const std::string& fault :
         compare(one, i, stubs.result(status),
                 others != nullptr && i < others->as_array().size() ? others->as_array()[i] : null_value()))
      faults.push_back("round " + std::to_string(i + 1) + ": " + fault);
    for (const std::string& fault : widened(one, i, status)) judged.widened.push_back(fault);
    judged.may_differ = judged.may_differ || may_differ(one, i, status);
    // The same again writes the same.
    openshift::ClusterVersion again = cluster;
    write_updates(again, *inputs);
    if (again.to_text() != cluster.to_text()) faults.push_back("a second write changes the status");
  }
  return judged;
}

TEST(AvailableUpdates, AreAsRecorded) {
  FAIRWAY_NEEDS_SHARED(cases_folder());
  const json::Value differences = deliberate_differences();
  const auto cases = read_update_cases();
  std::size_t passed = 0, different = 0, otherwise = 0;
  for (const UpdateCase& one : cases) {
    const json::Value* difference = json::find(differences, one.name);
    const Judged judged = judge(one, difference == nullptr ? null_value() : *difference);
    EXPECT_TRUE(judged.widened.empty()) << one.name << "\n" << join(judged.widened, "\n");
    if (judged.faults.empty()) {
      ++passed;
      different += difference == nullptr ? 0 : 1;
    } else if (difference == nullptr && judged.may_differ) {
      ++otherwise;
      std::printf("%s differs, as it may:\n%s\n", one.name.c_str(), join(judged.faults, "\n").c_str());
    } else {
      ADD_FAILURE() << one.name << "\n" << join(judged.faults, "\n");
    }
  }
  std::printf(
      "available-updates: %zu of %zu cases passed, %zu of them with a deliberate difference; %zu more are "
      "not "
      "as recorded where they may differ, and make nothing available that may not be\n",
      passed, cases.size(), different, otherwise);
  if (fairway::testing::is_default_shared()) {
    EXPECT_EQ(cases.size(), 97U);
    EXPECT_EQ(different, differences.as_object().size());
    EXPECT_EQ(otherwise, 0U);
  }
}

}  // namespace
}  // namespace fairway::operators::testing
