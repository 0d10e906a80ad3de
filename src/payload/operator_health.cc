// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "openshift/cluster_operator.h"
#include "payload/update_error.h"

namespace fairway::payload {

namespace {

/// `cluster operator etcd is Degraded=True: Reason: message`.
std::string described(const k8s::Dynamic& object, const std::optional<k8s::Condition>& condition,
                      std::string_view otherwise) {
  if (!condition || condition->message().empty()) return std::string(otherwise);
  return "cluster operator " + std::string(object.name()) + " is " + std::string(condition->type()) + "=" +
         std::string(k8s::to_string(condition->status())) + ": " + std::string(condition->reason()) + ": " +
         std::string(condition->message());
}

/// The operands that are not at their version: "operator from 4.6.1 to 4.6.2"; empty if all are.
std::string undone(const k8s::Dynamic& expected, const openshift::ClusterOperator& actual,
                   std::string_view release) {
  std::string all;
  const auto compare = [&](std::string_view operand, std::string_view version) {
    const std::string_view now = actual.version(operand);
    if (now == version) return;
    if (!all.empty()) all += ", ";
    all += operand;
    if (!now.empty()) all.append(" from ").append(now);
    all.append(" to ").append(version);
  };
  const auto versions = expected.items("status.versions");
  for (const k8s::View& version : versions) compare(version.text("name"), version.text("version"));
  if (versions.empty()) compare("operator", release);
  return all;
}

}  // namespace

OperatorHealth check_cluster_operator(const k8s::Dynamic& expected, const k8s::Dynamic* actual,
                                      std::string_view release, bool initializing) {
  const std::string name(expected.name());
  const auto not_ready = [&](const char* reason, const char* predicate, UpdateEffect effect,
                             std::string why) -> OperatorHealth {
    return {.readiness = k8s::Readiness::waiting(std::move(why)),
            .error = {.reason = reason,
                      .message = "Cluster operator " + name + " " + predicate,
                      .effect = effect,
                      .name = name}};
  };
  if (actual == nullptr) {
    return not_ready("ClusterOperatorNotAvailable", "is not available", UpdateEffect::fail,
                     "there is no cluster operator " + name);
  }
  const openshift::ClusterOperator object{json::Object(actual->json())};
  const auto available = object.condition("Available");
  if (!available || !available->is_true()) {
    return not_ready("ClusterOperatorNotAvailable", "is not available", UpdateEffect::fail,
                     described(object, available, "cluster operator " + name + " does not say that it is"));
  }
  const auto degraded = object.condition("Degraded");
  if (!degraded || !degraded->is_false()) {
    return not_ready(
        "ClusterOperatorDegraded", "is degraded",
        initializing ? UpdateEffect::report : UpdateEffect::fail_after_interval,
        described(object, degraded, "cluster operator " + name + " does not say that it is not"));
  }
  if (const std::string left = undone(expected, object, release); !left.empty() && !initializing) {
    return not_ready("ClusterOperatorUpdating", "is updating versions", UpdateEffect::none,
                     "cluster operator " + name + " has not finished updating: " + left);
  }
  return {.readiness = k8s::Readiness::ready(), .error = {}};
}

}  // namespace fairway::payload
