// SPDX-License-Identifier: Apache-2.0

// Selectors, templates and strategies of workloads.
#include <array>
#include <optional>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/int_or_percent.h"
#include "apiserver/internal/validation/labels.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/pods.h"
#include "k8s/label_selector.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view unmatched = "`selector` does not match template `labels`";

k8s::StringMap labels_of(const Scope& spec) {
  return spec.child("template").child("metadata").map("labels");
}

void report_unmatched(const Scope& spec) {
  const Scope at = spec.child("template");
  at.invalid("metadata.labels", at.child("metadata").value("labels"), unmatched);
}

/// Reads the selector of a workload. An error is the reason why it cannot be used.
auto selector_of(const Scope& spec) {
  return k8s::LabelSelector::from(spec.find("selector"), spec.path().text("selector"));
}

void check_empty_selector(const Scope& spec, const std::string& kind) {
  const Scope selector = spec.child("selector");
  if (selector.map("matchLabels").empty() && selector.list("matchExpressions").empty())
    spec.invalid("selector", spec.value("selector"), "empty selector is invalid for " + kind);
}

/// Checks a selector that is required.
void check_required_selector(const Scope& spec, const std::string& kind) {
  if (!spec.has("selector")) {
    spec.required("selector");
    return;
  }
  check_selector_at(spec, "selector");
  check_empty_selector(spec, kind);
}

void check_template(const Scope& spec) {
  if (spec.facts().skips_template) return;
  check_pod_template(spec.errors(), spec.object("template"), spec.path().child("template"),
                     spec.facts().old_template);
}

/// Checks that the Pods of a workload run until somebody deletes them.
void check_endless(const Scope& spec, const std::string& kind) {
  const Scope at = spec.child("template"), pod = at.child("spec");
  if (pod.text("restartPolicy") != "Always")
    pod.not_supported("restartPolicy", json::Value(pod.text("restartPolicy")), {"Always"});
  if (pod.has("activeDeadlineSeconds"))
    pod.forbidden("activeDeadlineSeconds", "activeDeadlineSeconds in " + kind + " is not Supported");
}

void check_controller_template(const Scope& spec) {
  if (!spec.has("template")) {
    spec.required("template");
    return;
  }
  const k8s::StringMap labels = labels_of(spec);
  for (const auto& [key, value] : spec.map("selector")) {
    if (labels.find(key) == std::optional(value)) continue;
    report_unmatched(spec);
    break;
  }
  check_template(spec);
  check_endless(spec, "ReplicationController");
}

/// Checks the selector and the template of a Deployment or ReplicaSet.
void check_replica_set_template(const Scope& spec) {
  check_required_selector(spec, "deployment");
  const auto selector = selector_of(spec);
  if (!selector) {
    spec.invalid("selector", spec.value("selector"), "invalid label selector");
    return;
  }
  if (!selector->matches(labels_of(spec))) report_unmatched(spec);
  check_template(spec);
  check_endless(spec, "ReplicaSet");
}

void check_daemon_set_template(const Scope& spec) {
  if (spec.has("selector")) check_selector_at(spec, "selector");
  const auto selector = selector_of(spec);
  if (selector && !selector->matches(labels_of(spec))) report_unmatched(spec);
  if (spec.has("selector")) check_empty_selector(spec, "daemonset");
  check_template(spec);
  check_endless(spec, "DaemonSet");
}

/// Returns a template as the controller of StatefulSets completes it: with volumes for the claims, and
/// without the names that it replaces.
json::Object completed_template(const Scope& spec) {
  json::Object made = spec.object("template");
  json::Value& value = made["spec"];
  json::Object& pod = value.is_object() ? value.get_object() : value.emplace_object();
  pod.erase("subdomain");
  pod.erase("hostname");
  const json::Array& claims = spec.list("volumeClaimTemplates");
  if (claims.empty()) return made;
  json::Array volumes;
  json::Object names;
  spec.each("volumeClaimTemplates", [&](const Scope& claim, std::size_t) {
    const std::string_view name = claim.child("metadata").text("name");
    if (names.contains(name)) return;
    names[name] = true;
    json::Object volume;
    if (!name.empty()) volume["name"] = name;
    json::Object source;
    if (!name.empty()) source["claimName"] = name;
    volume["persistentVolumeClaim"] = std::move(source);
    volumes.push_back(std::move(volume));
  });
  spec.child("template").child("spec").each("volumes", [&](const Scope& volume, std::size_t) {
    if (!names.contains(volume.text("name"))) volumes.push_back(json::Value(volume.json()));
  });
  pod["volumes"] = std::move(volumes);
  return made;
}

void check_stateful_set_template(const Scope& spec) {
  const std::string_view service = spec.text("serviceName");
  if (!spec.facts().is_update && !service.empty())
    spec.faults("serviceName", service, k8s::check_dns_label(service));
  check_required_selector(spec, "statefulset");
  const auto selector = selector_of(spec);
  if (!selector) {
    spec.invalid("selector", spec.value("selector"), "");
  } else {
    if (!selector->matches(labels_of(spec))) report_unmatched(spec);
    const Scope at = spec.child("template");
    if (!spec.facts().skips_template) {
      const json::Object completed = completed_template(spec);
      check_pod_template(spec.errors(), completed, at.path(), spec.facts().old_template);
    } else {
      const Scope metadata = at.child("metadata");
      check_labels(at, "labels", metadata.map("labels"));
      check_annotations(at, "annotations", metadata.map("annotations"));
    }
  }
  check_endless(spec, "StatefulSet");
}

void check_progress_deadline(const Scope& spec) {
  const auto seconds = spec.integer("progressDeadlineSeconds");
  if (seconds && *seconds <= spec.integer("minReadySeconds").value_or(0))
    spec.invalid("progressDeadlineSeconds", json::Value(*seconds), "must be greater than minReadySeconds");
}

void check_deployment_strategy(const Scope& strategy) {
  const std::string_view type = strategy.text("type");
  if (type == "Recreate") {
    if (strategy.has("rollingUpdate"))
      strategy.forbidden("rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
  } else if (type != "RollingUpdate") {
    strategy.not_supported(".", json::Value(strategy.json()), {"Recreate", "RollingUpdate"});
  } else if (!strategy.has("rollingUpdate")) {
    strategy.required("rollingUpdate", "this should be defaulted and never be nil");
  } else {
    check_type("RollingUpdateDeployment", strategy.child("rollingUpdate"));
  }
}

void check_rolling_deployment(const Scope& rolling) {
  if (count_or_percent(rolling, "maxUnavailable") == 0 && count_or_percent(rolling, "maxSurge") == 0)
    rolling.invalid("maxUnavailable", rolling.value("maxUnavailable"), "may not be 0 when `maxSurge` is 0");
}

void check_daemon_set_strategy(const Scope& strategy) {
  const std::string_view type = strategy.text("type");
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    strategy.not_supported(".", json::Value(strategy.json()), {"RollingUpdate", "OnDelete"});
  } else if (!strategy.has("rollingUpdate")) {
    strategy.required("rollingUpdate");
  } else {
    check_type("RollingUpdateDaemonSet", strategy.child("rollingUpdate"));
  }
}

void check_rolling_daemon_set(const Scope& rolling) {
  const bool without = count_or_percent(rolling, "maxUnavailable") != 0,
             beyond = count_or_percent(rolling, "maxSurge") != 0;
  if (without && beyond)
    rolling.invalid("maxSurge", rolling.value("maxSurge"), "may not be set when maxUnavailable is non-zero");
  if (!without && !beyond) rolling.required("maxUnavailable", "cannot be 0 when maxSurge is 0");
}

void check_some_unavailable(const Scope& rolling) {
  if (rolling.has("maxUnavailable") && count_or_percent(rolling, "maxUnavailable") == 0)
    rolling.invalid("maxUnavailable", rolling.value("maxUnavailable"), "cannot be 0");
}

void check_stateful_set_strategy(const Scope& strategy) {
  const std::string_view type = strategy.text("type");
  if (type.empty()) {
    strategy.required(".");
  } else if (type == "OnDelete") {
    if (strategy.has("rollingUpdate"))
      strategy.invalid("rollingUpdate", strategy.value("rollingUpdate"),
                       "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type == "RollingUpdate") {
    if (strategy.has("rollingUpdate"))
      check_type("RollingUpdateStatefulSet", strategy.child("rollingUpdate"));
  } else {
    strategy.invalid(".", json::Value(strategy.json()), "must be 'RollingUpdate' or 'OnDelete'");
  }
}

void check_pod_management(const Scope& spec) {
  const std::string_view policy = spec.text("podManagementPolicy");
  if (policy.empty()) {
    spec.required("podManagementPolicy");
  } else if (policy != "OrderedReady" && policy != "Parallel") {
    spec.invalid("podManagementPolicy", json::Value(policy), "must be 'OrderedReady' or 'Parallel'");
  }
}

/// Checks the claims that each Pod gets; they never change.
void check_claim_templates(const Scope& spec) {
  if (spec.facts().is_update) return;
  spec.each("volumeClaimTemplates",
            [](const Scope& claim, std::size_t) { check_type("ClaimSpec", claim.child("spec")); });
}

void check_ordinals(const Scope& spec) {
  const auto start = spec.child("ordinals").integer("start");
  if (start && *start < 0)
    spec.invalid("ordinals.start", json::Value(*start), "must be greater than or equal to 0");
}

constexpr std::array calls{
    NamedCall{"controller_template", &check_controller_template},
    NamedCall{"replica_set_template", &check_replica_set_template},
    NamedCall{"daemon_set_template", &check_daemon_set_template},
    NamedCall{"stateful_set_template", &check_stateful_set_template},
    NamedCall{"progress_deadline", &check_progress_deadline},
    NamedCall{"deployment_strategy", &check_deployment_strategy},
    NamedCall{"rolling_deployment", &check_rolling_deployment},
    NamedCall{"daemon_set_strategy", &check_daemon_set_strategy},
    NamedCall{"rolling_daemon_set", &check_rolling_daemon_set},
    NamedCall{"stateful_set_strategy", &check_stateful_set_strategy},
    NamedCall{"some_unavailable", &check_some_unavailable},
    NamedCall{"pod_management", &check_pod_management},
    NamedCall{"claim_templates", &check_claim_templates},
    NamedCall{"ordinals", &check_ordinals},
};

}  // namespace

std::span<const NamedCall> workload_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
