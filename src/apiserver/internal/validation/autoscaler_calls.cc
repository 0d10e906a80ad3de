// SPDX-License-Identifier: Apache-2.0

// HorizontalPodAutoscalers.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/quantity.h"
#include "apiserver/internal/validation/resource_names.h"

namespace fairway::apiserver::validation {
namespace {

void check_replica_bounds(const Scope& spec) {
  const auto least = spec.integer("minReplicas");
  const std::int64_t most = spec.integer("maxReplicas").value_or(0);
  if (least && *least < 0)
    spec.invalid("minReplicas", json::Value(*least), "must be greater than or equal to 0");
  if (most == 0) {
    spec.required("maxReplicas");
  } else if (most < 0) {
    spec.invalid("maxReplicas", json::Value(most), "must be greater than or equal to 1");
  }
  if (least && most < *least)
    spec.invalid("maxReplicas", json::Value(most), "must be greater than or equal to `minReplicas`");
}

/// Returns what is wrong with the version of the object of a reference; empty if it is right.
std::string version_fault(std::string_view version, bool allows_core) {
  const auto slashes = std::ranges::count(version, '/');
  if (version != "/" && slashes > 1) return "unexpected GroupVersion string: " + std::string(version);
  if (!allows_core && version.substr(0, slashes == 0 ? 0 : version.find('/')).empty())
    return "apiVersion must specify API group";
  return {};
}

void check_reference(const Scope& reference, bool allows_core, bool allows_any_version) {
  check_type("CrossVersionObjectReference", reference);
  const std::string_view version = reference.text("apiVersion");
  const std::string fault = allows_any_version ? std::string() : version_fault(version, allows_core);
  if (!fault.empty()) reference.invalid("apiVersion", json::Value(version), fault);
}

void check_scale_target(const Scope& spec) {
  const Scope target = spec.child("scaleTargetRef");
  const json::Object* old = spec.facts().old_object;
  const bool is_same = old != nullptr &&
                       k8s::View(*old).text("spec.scaleTargetRef.apiVersion") == target.text("apiVersion") &&
                       k8s::View(*old).text("spec.scaleTargetRef.kind") == target.text("kind");
  check_reference(target, target.text("kind") == "ReplicationController", is_same);
}

/// Checks the target of a metric of an object or of something external. `both`: the words if it has both
/// values, which is no error if they are empty.
void check_value_target(const Scope& source, std::string_view missing, std::string_view both) {
  const Scope target = source.child("target");
  check_type("MetricTarget", target);
  const bool has_value = target.has("value"), has_average = target.has("averageValue");
  if (!has_value && !has_average) target.required("averageValue", missing);
  if (has_value && has_average && !both.empty()) target.forbidden("value", both);
}

void check_object_metric(const Scope& source, bool allows_any_version) {
  check_reference(source.child("describedObject"), true, allows_any_version);
  check_type("MetricIdentifier", source.child("metric"));
  check_value_target(source, "must set either a target value or averageValue", "");
}

void check_external_metric(const Scope& source) {
  check_type("MetricIdentifier", source.child("metric"));
  check_value_target(source, "must set either a target value for metric or a per-pod target",
                     "may not set both a target value for metric and a per-pod target");
}

void check_pods_metric(const Scope& source) {
  const Scope target = source.child("target");
  check_type("MetricIdentifier", source.child("metric"));
  check_type("MetricTarget", target);
  if (!target.has("averageValue"))
    target.required("averageValue", "must specify a positive target averageValue");
}

void check_resource_metric(const Scope& source, bool of_container) {
  const Scope target = source.child("target");
  const std::string_view name = source.text("name");
  if (name.empty()) {
    source.required("name", "must specify a resource name");
  } else if (of_container) {
    source.faults("name", name, container_resource_faults(name));
  }
  if (of_container) check_type("MetricContainer", source);
  check_type("MetricTarget", target);
  const bool has_share = target.has("averageUtilization"), has_value = target.has("averageValue");
  if (!has_share && !has_value) {
    target.required("averageUtilization", "must set either a target raw value or a target utilization");
  } else if (has_share && has_value) {
    target.forbidden("averageValue", "may not set both a target raw value and a target utilization");
  }
}

/// Types of metrics and their members, in the order in which Kubernetes looks for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> sources{
    {{"Object", "object"},
     {"External", "external"},
     {"Pods", "pods"},
     {"Resource", "resource"},
     {"ContainerResource", "containerResource"}}};

void check_metric(const Scope& metric, bool allows_any_version) {
  const std::string_view type = metric.text("type");
  if (type.empty()) metric.required("type", "must specify a metric source type");
  std::string_view wanted;
  std::vector<std::string_view> present;
  for (const auto& [of, member] : sources) {
    if (of == type) wanted = member;
    if (metric.has(member)) present.push_back(member);
  }
  if (!present.empty()) {
    const std::string_view member = present.front();
    const Scope source = metric.child(member);
    if (member == "object") check_object_metric(source, allows_any_version);
    if (member == "external") check_external_metric(source);
    if (member == "pods") check_pods_metric(source);
    if (member == "resource") check_resource_metric(source, false);
    if (member == "containerResource") check_resource_metric(source, true);
  }
  if (wanted.empty()) {
    metric.not_supported("type", json::Value(type),
                         {"ContainerResource", "External", "Object", "Pods", "Resource"});
  } else if (!metric.has(wanted)) {
    metric.required(wanted, "must populate information for the given metric source");
  }
  if (present.size() == 1) return;
  for (const std::string_view member : present) {
    if (member != wanted) metric.forbidden(member, "must populate the given metric source only");
  }
}

/// Returns whether a metric before an update was of an object whose version is none.
bool had_bad_versions(const json::Object* old) {
  if (old == nullptr) return false;
  return std::ranges::any_of(k8s::View(*old).items("spec.metrics"), [](const k8s::View& metric) {
    return metric.text("type") == "Object" && metric.has("object") &&
           !version_fault(metric.text("object.describedObject.apiVersion"), true).empty();
  });
}

void check_metrics(const Scope& spec) {
  const bool allows_any_version = had_bad_versions(spec.facts().old_object);
  bool allows_none = false;
  spec.each("metrics", [&](const Scope& metric, std::size_t) {
    check_metric(metric, allows_any_version);
    allows_none = allows_none || metric.text("type") == "Object" || metric.text("type") == "External";
  });
  if (spec.integer("minReplicas") == 0 && !allows_none) {
    spec.forbidden("metrics",
                   "must specify at least one Object or External metric to support scaling to zero replicas");
  }
}

void check_metric_target(const Scope& target) {
  const std::string_view type = target.text("type");
  if (type.empty()) target.required("type", "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue")
    target.invalid("type", json::Value(type), "must be either Utilization, Value, or AverageValue");
  for (const std::string_view member : {"value", "averageValue"}) {
    const json::Value* value = target.find(member);
    if (value != nullptr && Quantity::of(*value) <= Quantity())
      target.invalid(member, json::Value(quantity_text(*value)), "must be positive");
  }
}

void check_scaling_times(const Scope& rules) {
  constexpr std::int64_t longest = 3600;
  const auto seconds = rules.integer("stabilizationWindowSeconds");
  if (seconds && *seconds < 0) {
    rules.invalid("stabilizationWindowSeconds", json::Value(*seconds),
                  "must be greater than or equal to zero");
  } else if (seconds && *seconds > longest) {
    rules.invalid("stabilizationWindowSeconds", json::Value(*seconds), "must be less than or equal to 3600");
  }
}

void check_tolerance(const Scope& rules) {
  const json::Value* tolerance = rules.find("tolerance");
  if (tolerance != nullptr && Quantity::of(*tolerance).is_negative()) {
    rules.invalid("tolerance", json::Value(quantity_text(*tolerance)), "must be greater than or equal to 0");
  }
}

void check_scaling_period(const Scope& policy) {
  constexpr std::int64_t longest = 1800;
  const auto seconds = policy.integer("periodSeconds");
  if (seconds && *seconds > longest)
    policy.invalid("periodSeconds", json::Value(*seconds), "must be less than or equal to 1800");
}

constexpr std::array calls{
    NamedCall{"replica_bounds", &check_replica_bounds},
    NamedCall{"scale_target", &check_scale_target},
    NamedCall{"metrics", &check_metrics},
    NamedCall{"metric_target", &check_metric_target},
    NamedCall{"scaling_times", &check_scaling_times},
    NamedCall{"tolerance", &check_tolerance},
    NamedCall{"scaling_period", &check_scaling_period},
};

}  // namespace

std::span<const NamedCall> autoscaler_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
