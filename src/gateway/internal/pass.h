// One pass of the controller over everything: pure, but for the Envoys that it asks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/internal/attachment/address_pool.h"
#include "gateway/internal/attachment/endpoint_policy.h"
#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/attachment/evaluate.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/routes.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/probes/probe.h"
#include "gateway/internal/status/readiness.h"
#include "gateway/internal/translation/discovery_resources.h"
#include "gateway/internal/translation/translate.h"
#include "k8s/object.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// What serves resources, and says who has them: `xds::Server`, or a stand-in of a test.
class Envoys {
 public:
  virtual ~Envoys() = default;
  virtual void set(const xds::Resources& resources) = 0;
  virtual xds::Agreement agreement(const xds::ResourceName& name) const = 0;
  /// Another number after each Envoy that has connected or left.
  virtual std::uint64_t session() const { return 0; }
  /// The names of RouteConfigurations that Envoys ask for.
  virtual std::set<std::string> routes_asked_for() const { return {}; }
};

struct Evaluation;

/// What passes found out. It changes no result: without it a pass takes longer.
struct Known {
  /// The last one.
  std::shared_ptr<Evaluation> last;
  /// A Gateway with the address that it was given.
  struct Given {
    std::shared_ptr<const k8s::Dynamic> gateway;
    std::string address;
    std::shared_ptr<const k8s::Dynamic> with_address;
  };
  std::map<k8s::Key, Given> given;
  KnownRoutes routes;
  KnownEndpoints endpoints;
  KnownTranslations translations;
  KnownResources resources;
};

/// What passes leave to the next.
struct Memory {
  /// The Gateways of accepted classes, of all passes so far.
  std::set<k8s::Key> ours;
  /// The addresses that Gateways have been given: they stay, also while no status has them yet.
  std::map<k8s::Key, std::string> addresses;
  /// What the last pass has made Envoys serve; its resources only where Ready is asked for.
  Served served;
  /// The listeners that were probed.
  std::set<std::pair<Owner, std::string>> probed;
  /// Of what this controller has written last that it is ready, or may have: a status is read back later than
  /// it is written. Whoever writes a status keeps it.
  ReadyWords told;
  Known known;
};

/// What Envoy's listeners need, by their names.
using Needs = std::map<std::string, std::set<xds::ResourceName>>;

/// What the objects of one moment ask for. What Envoys say of it stands in the Gateways, and is that of the
/// last pass over it.
struct Evaluation {
  Objects objects;
  GatewayStates gateways;
  std::deque<RouteState> routes;
  ReadyWords told;
  Needs needs;
  /// What Envoys have not been given.
  std::set<xds::ResourceName> held;
  /// The names of RouteConfigurations that Envoys were given, or asked for when it was decided.
  std::set<std::string> routes_known = {};
  /// Classes, Gateways and ListenerSets, so that no others are at their addresses, and the revisions of what
  /// the routes were attached by.
  std::vector<std::shared_ptr<const k8s::Dynamic>> parents = {};
  std::vector<std::uint64_t> revisions = {};
};

/// A pass: what there is, and what shall be reported on it. The reports refer to the objects.
struct Pass {
  std::shared_ptr<Evaluation> evaluation;
  std::vector<Report> reports;
  /// What is to be applied for Gateways (`infrastructure_to_apply`).
  std::vector<k8s::Dynamic> infrastructure;
  /// Objects whose report depends on an answer of Envoy that is still to come, and the Gateways that it is
  /// about: to write it now would say of a route what is not served yet, and of a Gateway that serves the
  /// last configuration that it serves nothing.
  std::map<const k8s::Dynamic*, std::set<k8s::Key>> waiting;
  /// Of what Ready is to be taken back, at once: it may be untrue, or something is held back for it.
  std::map<const k8s::Dynamic*, ReadyParts> unready;
};

/// Makes Envoys serve what the objects ask for, and reports: `Programmed` is True only for what all of them
/// have acknowledged as it is now, and `Ready` only for what a probe has shown since. What changes a listener
/// that a status says Ready=True of is held back until no status does: the pass after the one that has it in
/// `unready`. Without `probes` nothing is known to be ready. `endpoints`: where Envoys may be led. `objects`
/// may be those of the last pass with what has changed since, and all Gateways added anew: a pass gives them
/// addresses. `tracing`: where Envoys send spans.
std::unique_ptr<Pass> run_pass(Objects objects, const AddressPool& pool, Memory& memory, WallTime now,
                               Envoys& envoys, Probes* probes = nullptr,
                               const std::optional<Tracing>& tracing = std::nullopt,
                               const EndpointPolicy& endpoints = {});
/// The same over the objects of the last pass, where only Envoys or probes can have said more. nullptr: Ready
/// is said of something, or Envoys ask for routes that they have not been given, and the whole pass is due.
std::unique_ptr<Pass> run_pass_again(const Pass& last, Memory& memory, Envoys& envoys,
                                     Probes* probes = nullptr);

}  // namespace fairway::gateway
