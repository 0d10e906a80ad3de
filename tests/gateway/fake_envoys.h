// Envoys of a test of passes: they keep what they are given, and say of it what the test wants.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "gateway/internal/status/envoys.h"
#include "xds/resource.h"

namespace fairway::gateway {

class FakeEnvoys final : public Envoys {
 public:
  void set(const xds::Resources& resources) override { served = resources; }
  /// Agreement on a resource: pending where it is not served; else the first of `answers`, `answers_by_type`
  /// and `otherwise` that says one.
  xds::Agreement agreement(const xds::ResourceName& name) const override {
    if (!served.contains(name)) return {.state = xds::Agreement::State::pending};
    if (const auto found = answers.find(name); found != answers.end()) return found->second;
    const auto found = answers_by_type.find(name.type);
    return {.state = found != answers_by_type.end() ? found->second : otherwise};
  }
  std::uint64_t session() const override { return sessions; }
  std::set<std::string> routes_asked_for() const override { return asked_for; }

  /// Resources that the last pass serves.
  xds::Resources served;
  std::map<xds::ResourceName, xds::Agreement> answers;
  std::map<xds::Type, xds::Agreement::State> answers_by_type;
  /// State of all that no answer is for.
  xds::Agreement::State otherwise = xds::Agreement::State::acknowledged;
  /// Number of sessions so far: another after each Envoy that has connected or left.
  std::uint64_t sessions = 1;
  /// Names of RouteConfigurations that Envoys ask for.
  std::set<std::string> asked_for;
};

}  // namespace fairway::gateway
