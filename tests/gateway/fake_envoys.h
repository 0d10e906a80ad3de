// SPDX-License-Identifier: Apache-2.0

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
  /// Returns the acknowledgement on a resource: pending if it is not served; else the first that is found in
  /// `answers`, `answers_by_type` and `otherwise`.
  xds::Acknowledgement acknowledgement(const xds::ResourceName& name) const override {
    if (!served.contains(name)) return {.state = xds::Acknowledgement::State::pending};
    if (const auto found = answers.find(name); found != answers.end()) return found->second;
    const auto found = answers_by_type.find(name.type);
    return {.state = found != answers_by_type.end() ? found->second : otherwise};
  }
  std::uint64_t session() const override { return sessions; }
  std::set<std::string> routes_asked_for() const override { return asked_for; }

  /// Resources that the last pass serves.
  xds::Resources served;
  std::map<xds::ResourceName, xds::Acknowledgement> answers;
  std::map<xds::Type, xds::Acknowledgement::State> answers_by_type;
  /// State of all resources without an answer.
  xds::Acknowledgement::State otherwise = xds::Acknowledgement::State::acknowledged;
  /// Number that changes with each Envoy that connects or leaves.
  std::uint64_t sessions = 1;
  /// Names of RouteConfigurations that Envoys ask for.
  std::set<std::string> asked_for;
};

}  // namespace fairway::gateway
