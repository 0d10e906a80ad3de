// Errors of an update, as reported in the conditions of ClusterVersion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/kinds/readiness.h"
#include "kube/client/api_error.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// What an error means for the update as a whole.
enum class UpdateEffect {
  fail,                 ///< fails the update
  none,                 ///< still progressing
  report,               ///< reported only
  fail_after_interval,  ///< it fails if this lasts for more than 40 minutes
};

struct UpdateError {
  std::string reason;  ///< of the conditions: "ClusterOperatorDegraded"; empty: none has been given
  std::string message;
  UpdateEffect effect = UpdateEffect::fail;
  /// What it is about, for "waiting on X": "etcd", "etcd, kube-apiserver".
  std::string name;
  std::vector<std::string> names = {};  ///< of several
  /// What several errors were made one of.
  std::vector<UpdateError> nested = {};

  friend bool operator==(const UpdateError&, const UpdateError&) = default;
};

/// What to say of a reason in Progressing: "the control plane is down or not responding". `name` is what the
/// error is about, or empty.
std::string summary_for_reason(std::string_view reason, std::string_view name);

/// One error for several, which are in any order. Those of ClusterOperators with one reason are one: "Cluster
/// operators etcd, kube-apiserver are updating versions", with the most severe effect. More than one
/// remaining: `MultipleErrors`, with all messages, sorted, each once. `errors` is not empty.
UpdateError merge_errors(std::vector<UpdateError> errors);

/// `MultipleErrors`, with all messages, sorted, each once; of one error that one. `errors` is not empty.
UpdateError several_errors(std::vector<UpdateError> errors);

/// The error of the API server for one object, item `number` of `total`: "Could not update deployment
/// \"a/b\" (12 of 859): the server is down or not responding".
UpdateError error_of_server(const kube::ApiError& error, const ObjectId& object, std::size_t number,
                            std::size_t total);

/// How a ClusterOperator is doing. `expected` is the manifest, whose `status.versions` it must report;
/// without any, its version "operator" must be `release`. `initializing`: versions do not matter, and
/// Degraded is reported without being an error. `actual` is nullptr where there is none.
struct OperatorHealth {
  k8s::Readiness readiness;
  UpdateError error;  ///< if it is not ready
};
OperatorHealth check_cluster_operator(const k8s::Dynamic& expected, const k8s::Dynamic* actual,
                                      std::string_view release, bool initializing);

}  // namespace fairway::payload
