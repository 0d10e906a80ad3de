// SPDX-License-Identifier: Apache-2.0

// A pass of the controller over everything, in three steps: objects become a model (`attach`), the model
// becomes what Envoys are given (`make_plan`), and with their answers what statuses say (`judge`). They do no
// I/O, and what the last pass has left stays as it is: a step returns what the next pass is to have.
// `run_pass` asks the Envoys between them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/attachment/routes.h"
#include "gateway/internal/model/address_pool.h"
#include "gateway/internal/model/answers.h"
#include "gateway/internal/model/endpoint_policy.h"
#include "gateway/internal/model/tracing.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/envoy_answers.h"
#include "gateway/internal/status/evaluation.h"
#include "gateway/internal/status/readiness.h"
#include "gateway/internal/status/report.h"
#include "gateway/internal/status/route_reports.h"
#include "gateway/internal/translation/discovery_resources.h"
#include "gateway/internal/translation/served.h"
#include "gateway/internal/translation/translate.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The state of the cluster and of this program at the moment of a pass.
struct PassInput {
  /// The objects. They may be those of the last pass with the changes since, but all Gateways have to be
  /// added again: a pass replaces them by Gateways with addresses.
  Objects objects;
  AddressPool pool = {};
  WallTime now = {};
  /// The collector of the spans of Envoys.
  std::optional<Tracing> tracing = {};
  /// The policy that decides which endpoints Envoys may connect to.
  EndpointPolicy endpoints = {};
};

/// The results of a pass that the next one needs.
struct Previous {
  /// The Gateways of accepted classes, of all passes so far.
  std::set<k8s::Key> ours = {};
  /// The addresses that Gateways have been given. They stay, even while no status has them yet.
  std::map<k8s::Key, std::string> addresses = {};
  /// The resources that Envoys have been given; nullptr where no listener is served that may be Ready.
  std::shared_ptr<const Served> served = {};
  ListenerNames probed = {};
  /// Objects of which this controller has written last, or may have, that they are Ready: a status is read
  /// back later than it is written. The code that writes statuses keeps it up to date.
  PublishedReadiness published = {};
};

/// The caches of passes. To empty them before a pass changes no result, but makes the pass slower. Between a
/// pass and the answers on it, `translations` alone knows the Envoy routes that each route became.
struct PassCache {
  /// The last evaluation. Its unchanged parts are reused by the next one, unless it is referenced elsewhere.
  std::shared_ptr<Evaluation> last = {};
  /// A Gateway with the address that it was given.
  struct Given {
    std::shared_ptr<const k8s::Dynamic> gateway;
    std::string address;
    std::shared_ptr<const k8s::Dynamic> with_address;
  };
  std::map<k8s::Key, Given> given = {};
  RouteFactsCache routes = {};
  EndpointCache endpoints = {};
  TranslationCache translations = {};
  ResourceCache resources = {};
  RouteReportCache route_reports = {};
};

/// The model that objects make.
struct Attached {
  /// The evaluation, so far with its objects, Gateways and routes only.
  std::shared_ptr<Evaluation> evaluation;
  /// The addresses that Gateways are given.
  std::map<k8s::Key, std::string> addresses;
  /// True if Gateways are the same as in the last pass.
  bool are_gateways_same = false;
};
Attached attach(PassInput input, const Previous& previous, PassCache& cache);

/// The resources for Envoys.
struct Plan {
  std::shared_ptr<Evaluation> evaluation;
  std::shared_ptr<const Served> served;
  Previous next;
};

/// Makes Envoys' resources of the attached routes, and completes the evaluation. A change of a listener whose
/// status says Ready=True is held back until no status says so. `asked_for`: the names of RouteConfigurations
/// that Envoys ask for.
Plan make_plan(Attached attached, const std::set<std::string>& asked_for, const Previous& previous,
               PassCache& cache);

/// The result of a pass: the evaluation, and the reports on it. The reports refer to its objects.
struct Pass {
  std::shared_ptr<Evaluation> evaluation = {};
  std::vector<Report> reports = {};
  /// The objects to apply for Gateways (`infrastructure_to_apply`).
  std::vector<k8s::Dynamic> infrastructure = {};
  /// Objects whose report depends on a pending answer of Envoy, and the Gateways that the answer is about. A
  /// report that is written now would say that a route is served before it is, or that a Gateway serves
  /// nothing while it still serves the last configuration.
  std::map<const k8s::Dynamic*, std::set<k8s::Key>> waiting = {};
  /// Objects whose Ready has to be withdrawn at once: it may be untrue, or a change is held back for it.
  std::map<const k8s::Dynamic*, ReadyParts> unready = {};
};

/// Returns the reports on an evaluation: `Programmed` is True only if all Envoys have acknowledged the
/// current configuration, and `Ready` only if a probe has been answered since.
std::unique_ptr<Pass> judge(std::shared_ptr<Evaluation> evaluation, const Answers& answers, PassCache& cache);

}  // namespace fairway::gateway
