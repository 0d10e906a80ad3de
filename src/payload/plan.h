// SPDX-License-Identifier: Apache-2.0

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

/// Kinds of steps.
enum class Action {
  apply,    ///< server-side apply
  create,   ///< creates the object only if it does not exist
  remove,   ///< deletes the object and waits until it is gone
  migrate,  ///< stores the objects of a CRD in its storage version, if there may be others
  join,     ///< does nothing: later steps depend on it instead of on all steps before it
};

/// Conditions that a step waits for before it is done.
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
  /// Index in `Plan::manifests`; unused by a join.
  std::size_t manifest = 0;

  /// Returns whether the step counts in "139 of 859 done": steps of manifests do.
  bool counts() const { return action != Action::join && action != Action::migrate; }
};

struct Plan {
  std::string version;  ///< version of the release
  Mode mode = Mode::updating;
  std::vector<Manifest> manifests;
  std::vector<PlanStep> steps;

  /// Returns the number of steps that count.
  std::size_t total() const;
};

struct PlanOptions {
  /// The Deployment that carries out the plan, if the release contains it. It is applied before all others of
  /// its level, so that the new version carries out the rest.
  std::optional<k8s::Key> own_deployment;
};

/// Plans a release. `manifests` are as `select` returned them: each object once, in the order of their files.
/// Storage versions are migrated after everything else, when the converters of the release run.
Plan make_plan(std::string version, std::vector<Manifest> manifests, Mode mode,
               const PlanOptions& options = {});

}  // namespace fairway::payload
