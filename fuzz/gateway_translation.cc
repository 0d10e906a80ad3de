// SPDX-License-Identifier: Apache-2.0

// Objects of Gateway API to statuses and Envoy's configuration: nothing crashes; the same objects give the
// same bytes, in whatever order they come; every object that has a status gets one; and every resource is a
// message of Envoy's API.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "gateway/check.h"
#include "gateway/internal/offline/sources.h"
#include "gateway/internal/run_pass.h"
#include "gateway/internal/status/status.h"
#include "xds/envoy_api.h"

namespace {

using namespace fairway;
using gateway::describe;
using k8s::Dynamic;

/// Envoys that accept everything.
class AcknowledgingEnvoys final : public gateway::Envoys {
 public:
  void set(const xds::Resources& resources) override { served = resources; }
  xds::Acknowledgement acknowledgement(const xds::ResourceName& name) const override {
    using enum xds::Acknowledgement::State;
    return {.state = served.contains(name) ? acknowledged : pending};
  }

  xds::Resources served;
};

[[noreturn]] void fault(const std::string& what) {
  std::fprintf(stderr, "fault: %s\n", what.c_str());
  std::abort();
}

struct Outcome {
  /// Names of all objects with a status.
  std::set<std::string> statuses;
  std::set<std::string> reported;
  xds::Resources resources;
};

Outcome outcome_of(const std::vector<std::shared_ptr<const Dynamic>>& all) {
  const FakeClock epoch;
  gateway::Objects objects;
  for (const auto& object : all) objects.add(object);
  AcknowledgingEnvoys envoys;
  gateway::Memory memory;
  const auto pass = gateway::run_pass(
      {.objects = std::move(objects), .pool = *gateway::AddressPool::parse("198.51.100.0/29")}, memory,
      envoys);
  Outcome outcome{.statuses = {}, .reported = {}, .resources = std::move(envoys.served)};
  for (const gateway::Report& report : pass->reports) {
    const Dynamic now = gateway::with_status(report, epoch);
    outcome.statuses.insert(describe(now) + " " + json::to_text(now.at("status").json()));
    outcome.reported.insert(describe(now));
  }
  return outcome;
}

/// Checks the classes, Gateways and routes that this controller has to report on.
void expect_reports(const gateway::Objects& objects, const Outcome& outcome) {
  const auto need = [&](const Dynamic& object) {
    if (!outcome.reported.contains(describe(object))) fault(describe(object) + " gets no status");
  };
  std::set<std::string, std::less<>> classes;
  for (const Dynamic* one : objects.all("GatewayClass")) {
    if (one->text("spec.controllerName") != gateway::controller_name) continue;
    need(*one);
    classes.emplace(one->name());
  }
  std::set<k8s::Key> gateways;
  for (const Dynamic* one : objects.all("Gateway")) {
    if (!classes.contains(one->text("spec.gatewayClassName"))) continue;
    need(*one);
    gateways.insert(one->key());
  }
  for (const char* kind : {"HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"}) {
    for (const Dynamic* one : objects.all(kind)) {
      for (const k8s::View& ref : one->items("spec.parentRefs")) {
        // Fields of other types than the CRDs' say nothing of what is meant.
        if (ref.has("group") || ref.has("kind") || ref.has("namespace") || ref.text("name").empty()) continue;
        if (gateways.contains({std::string(one->namespace_name()), std::string(ref.text("name"))}))
          need(*one);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = gateway::read_sources({{"input", text}});
  if (!read) return 0;
  std::vector<std::shared_ptr<const Dynamic>> objects = read->in_order();
  const Outcome outcome = outcome_of(objects);
  expect_reports(*read, outcome);
  std::ranges::reverse(objects);
  const Outcome again = outcome_of(objects);
  if (again.statuses != outcome.statuses) fault("the order of the objects changes statuses");
  if (again.resources != outcome.resources) fault("the order of the objects changes the configuration");
  static const auto api = xds::EnvoyApi::embedded();
  if (!api) return 0;
  for (const auto& [name, resource] : outcome.resources) {
    if (const auto bytes = (*api)->encode(xds::message_of(name.type), resource.json()); !bytes)
      fault(name.name + ": " + bytes.error().message);
  }
  return 0;
}
