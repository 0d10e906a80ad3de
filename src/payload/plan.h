// The plan of an update: what is done with which object, after what, and what is waited for. Data only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "k8s/object.h"
#include "payload/manifest.h"
#include "payload/run_levels.h"

namespace fairway::payload {

/// What a step does.
enum class Action {
  apply,    ///< server-side apply
  create,   ///< only if there is no such object
  remove,   ///< and wait until it is gone
  migrate,  ///< stores the objects of a CRD in its storage version, if there may be others
  join,     ///< nothing: later steps need it in place of all before it
};

/// What a step waits for before it is done.
enum class Wait {
  nothing,
  established,       ///< a CustomResourceDefinition
  rolled_out,        ///< a Deployment, DaemonSet or StatefulSet
  complete,          ///< a Job
  available,         ///< an APIService
  cluster_operator,  ///< Available, not Degraded, at the versions that its manifest lists
};

/// "apply", "create", "remove", "migrate", "join".
std::string_view to_string(Action action);
/// "nothing", "established", "rolled out", "complete", "available", "cluster operator".
std::string_view to_string(Wait wait);

struct PlanStep {
  /// Unique: `0000_50_dns_02.yaml: deployment.apps "openshift-dns/dns"`, "after level 3".
  std::string name;
  /// Names of the steps that must be done before.
  std::vector<std::string> needs;
  Action action = Action::apply;
  Wait wait = Wait::nothing;
  /// Of `Plan::manifests`; not of a join.
  std::size_t manifest = 0;

  /// Returns whether it counts in "139 of 859 done": manifests do.
  bool counts() const { return action != Action::join && action != Action::migrate; }
};

struct Plan {
  std::string version;  ///< of the release
  Mode mode = Mode::updating;
  std::vector<Manifest> manifests;
  std::vector<PlanStep> steps;

  /// Steps that count.
  std::size_t total() const;
};

struct PlanOptions {
  /// The Deployment that carries out the plan, if it is of the release: it is applied before all others of
  /// its level, so that the new version goes on with them.
  std::optional<k8s::Key> own_deployment;
};

/// Plans a release. `manifests` are as `select` returned them: each object once, in the order of their files.
/// Storage versions are migrated after everything else, when the converters of the release run.
Plan make_plan(std::string version, std::vector<Manifest> manifests, Mode mode,
               const PlanOptions& options = {});

}  // namespace fairway::payload
