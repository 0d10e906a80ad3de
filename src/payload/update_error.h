// SPDX-License-Identifier: Apache-2.0

// Errors of an update, as reported in the conditions of ClusterVersion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/kinds/readiness.h"
#include "kube/client/api_error.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// Effect of an error on the update as a whole.
enum class UpdateEffect {
  fail,                 ///< fails the update
  none,                 ///< the update is still progressing
  report,               ///< the error is reported only
  fail_after_interval,  ///< fails the update if it lasts for more than 40 minutes
};

struct UpdateError {
  std::string reason;  ///< reason for the conditions: "ClusterOperatorDegraded"; empty: there is none
  std::string message;
  UpdateEffect effect = UpdateEffect::fail;
  /// Name of the object that the error is about, for "waiting on X": "etcd", "etcd, kube-apiserver".
  std::string name;
  std::vector<std::string> names = {};  ///< the single names, if there are several
  /// The errors that were merged into this one.
  std::vector<UpdateError> nested = {};

  friend bool operator==(const UpdateError&, const UpdateError&) = default;
};

/// Returns the text for a reason in Progressing: "the control plane is down or not responding". `name` is
/// what the error is about, or empty.
std::string summary_for_reason(std::string_view reason, std::string_view name);

/// Merges errors, in any order, into one. First, those of ClusterOperators with the same reason become one:
/// "Cluster operators etcd, kube-apiserver are updating versions", with the most severe effect. If all
/// messages are now equal, the result is the first error, else `several_errors`. `errors` is not empty.
UpdateError merge_errors(std::vector<UpdateError> errors);

/// Returns `MultipleErrors` with all messages, sorted, each once; for a single error that error. `errors` is
/// not empty.
UpdateError several_errors(std::vector<UpdateError> errors);

/// Returns the error for an answer of the API server about one object, item `number` of `total`: "Could not
/// update deployment \"a/b\" (12 of 859): the server is down or not responding". Where the server refuses the
/// object, its own words follow, up to 500 bytes, but for Secrets.
UpdateError error_of_server(const kube::ApiError& error, const ObjectId& object, std::size_t number,
                            std::size_t total);

/// The health of a ClusterOperator.
struct OperatorHealth {
  k8s::Readiness readiness;
  UpdateError error;  ///< the reason why it is not ready
};
/// Checks a ClusterOperator. `expected` is the manifest, whose `status.versions` it must report; if it lists
/// none, its version "operator" must be `release`. `initializing`: versions do not matter, and Degraded is
/// reported without being an error. `actual` is nullptr if the object does not exist.
OperatorHealth check_cluster_operator(const k8s::Dynamic& expected, const k8s::Dynamic* actual,
                                      std::string_view release, bool initializing);

}  // namespace fairway::payload
