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
  /// They may be those of the last pass with what has changed since, and all Gateways added anew: a pass
  /// gives them addresses.
  Objects objects;
  AddressPool pool = {};
  WallTime now = {};
  /// The collector of the spans of Envoys.
  std::optional<Tracing> tracing = {};
  /// The endpoints that Envoys may be led to.
  EndpointPolicy endpoints = {};
};

/// The results of a pass that the next one needs.
struct Previous {
  /// The Gateways of accepted classes, of all passes so far.
  std::set<k8s::Key> ours = {};
  /// The addresses that Gateways have been given: they stay, also while no status has them yet.
  std::map<k8s::Key, std::string> addresses = {};
  /// The resources that Envoys have been given; nullptr where no listener is served that may be Ready.
  std::shared_ptr<const Served> served = {};
  ListenerNames probed = {};
  /// Of what this controller has written last that it is ready, or may have: a status is read back later than
  /// it is written. Whoever writes a status keeps it.
  ReadyWords told = {};
};

/// The findings of passes. Emptied before a pass it changes no result, which takes longer then. Between a
/// pass and the answers on it `translations` is the one place that knows what became of each route.
struct PassCache {
  /// The last one. What has not changed of it goes on in the next, unless somebody else has it.
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
  /// Objects, Gateways and routes alone.
  std::shared_ptr<Evaluation> evaluation;
  /// The addresses that Gateways are given.
  std::map<k8s::Key, std::string> addresses;
  /// True if Gateways are what they were in the last pass.
  bool are_gateways_same = false;
};
Attached attach(PassInput input, const Previous& previous, PassCache& cache);

/// The resources for Envoys.
struct Plan {
  std::shared_ptr<Evaluation> evaluation;
  std::shared_ptr<const Served> served;
  Previous next;
};

/// Makes Envoys' resources of what is attached, and completes its evaluation. What changes a listener that a
/// status says Ready=True of is held back until no status does. `asked_for`: the names of RouteConfigurations
/// that Envoys ask for.
Plan make_plan(Attached attached, const std::set<std::string>& asked_for, const Previous& previous,
               PassCache& cache);

/// A pass: what there is, and what shall be reported on it. The reports refer to the objects.
struct Pass {
  std::shared_ptr<Evaluation> evaluation = {};
  std::vector<Report> reports = {};
  /// What is to be applied for Gateways (`infrastructure_to_apply`).
  std::vector<k8s::Dynamic> infrastructure = {};
  /// Objects whose report depends on an answer of Envoy that is still to come, and the Gateways that it is
  /// about: to write it now would say of a route what is not served yet, and of a Gateway that serves the
  /// last configuration that it serves nothing.
  std::map<const k8s::Dynamic*, std::set<k8s::Key>> waiting = {};
  /// Of what Ready is to be taken back, at once: it may be untrue, or something is held back for it.
  std::map<const k8s::Dynamic*, ReadyParts> unready = {};
};

/// Says of an evaluation what shall be reported: `Programmed` is True only for what all Envoys have
/// acknowledged as it is now, and `Ready` only for what a probe has shown since.
std::unique_ptr<Pass> judge(std::shared_ptr<Evaluation> evaluation, const Answers& answers, PassCache& cache);

}  // namespace fairway::gateway
