// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/autoscaler_conversion.h"

#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <string>

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::Editor;
using k8s::View;

constexpr std::string_view metrics_annotation = "autoscaling.alpha.kubernetes.io/metrics",
                           statuses_annotation = "autoscaling.alpha.kubernetes.io/current-metrics",
                           behavior_annotation = "autoscaling.alpha.kubernetes.io/behavior",
                           conditions_annotation = "autoscaling.alpha.kubernetes.io/conditions";
/// Target of a v1 object without one.
constexpr int default_cpu_utilization = 80;

/// Paths of the same member of a metric in both versions. `zero`: v1 always has it.
struct Move {
  std::string_view v2, v1;
  bool zero = false;
};

constexpr std::array object_spec{Move{"describedObject", "target"}, Move{"metric.name", "metricName"},
                                 Move{"target.value", "targetValue", true},
                                 Move{"metric.selector", "selector"},
                                 Move{"target.averageValue", "averageValue"}};
constexpr std::array pods_spec{Move{"metric.name", "metricName"},
                               Move{"target.averageValue", "targetAverageValue", true},
                               Move{"metric.selector", "selector"}};
constexpr std::array resource_spec{
    Move{"name", "name"}, Move{"target.averageUtilization", "targetAverageUtilization"},
    Move{"target.averageValue", "targetAverageValue"}, Move{"container", "container"}};
constexpr std::array external_spec{
    Move{"metric.name", "metricName"}, Move{"metric.selector", "metricSelector"},
    Move{"target.value", "targetValue"}, Move{"target.averageValue", "targetAverageValue"}};
constexpr std::array object_status{Move{"describedObject", "target"}, Move{"metric.name", "metricName"},
                                   Move{"current.value", "currentValue", true},
                                   Move{"metric.selector", "selector"},
                                   Move{"current.averageValue", "averageValue"}};
constexpr std::array pods_status{Move{"metric.name", "metricName"},
                                 Move{"current.averageValue", "currentAverageValue", true},
                                 Move{"metric.selector", "selector"}};
constexpr std::array resource_status{
    Move{"name", "name"}, Move{"current.averageUtilization", "currentAverageUtilization"},
    Move{"current.averageValue", "currentAverageValue", true}, Move{"container", "container"}};
constexpr std::array external_status{
    Move{"metric.name", "metricName"}, Move{"metric.selector", "metricSelector"},
    Move{"current.value", "currentValue", true}, Move{"current.averageValue", "currentAverageValue"}};

/// The member of a metric that describes it, and the paths in it.
struct Source {
  std::string_view type, member;
  std::span<const Move> spec, status;
};
constexpr std::array sources{Source{"Object", "object", object_spec, object_status},
                             Source{"Pods", "pods", pods_spec, pods_status},
                             Source{"Resource", "resource", resource_spec, resource_status},
                             Source{"ContainerResource", "containerResource", resource_spec, resource_status},
                             Source{"External", "external", external_spec, external_status}};

bool is_cpu(const View& metric) {
  return metric.text("type") == "Resource" && metric.text("resource.name") == "cpu";
}

/// Returns a metric of v2 as v1 writes it.
json::Value to_v1(const View& metric, bool is_status) {
  json::Object made{{"type", metric.text("type")}};
  Editor editor(made);
  for (const Source& source : sources) {
    if (!metric.has(source.member)) continue;
    const View from = metric.at(source.member);
    Editor to = editor.edit(source.member);
    for (const Move& move : is_status ? source.status : source.spec) {
      if (const json::Value* value = from.find(move.v2)) {
        to.set(move.v1, json::Value(*value));
      } else if (move.zero) {
        to.set(move.v1, "0");
      }
    }
  }
  return made;
}

/// Sets the type of a target, which v1 does not have.
void set_target_type(std::string_view member, Editor& to) {
  std::string_view type = "AverageValue";
  if (member == "object" && !to.has("target.averageValue")) type = "Value";
  if (member == "object" && type == "AverageValue" && to.text("target.value") == "0") {
    to.erase("target.value");
  }
  if (member == "external" && to.has("target.value")) type = "Value";
  if (member.ends_with("esource") && to.has("target.averageUtilization")) type = "Utilization";
  to.set("target.type", type);
}

json::Value to_v2(const View& metric, bool is_status) {
  json::Object made{{"type", metric.text("type")}};
  Editor editor(made);
  for (const Source& source : sources) {
    if (!metric.has(source.member)) continue;
    const View from = metric.at(source.member);
    Editor to = editor.edit(source.member);
    for (const Move& move : is_status ? source.status : source.spec) {
      if (const json::Value* value = from.find(move.v1)) to.set(move.v2, json::Value(*value));
    }
    if (!is_status) set_target_type(source.member, to);
  }
  return made;
}

json::Value cpu_target(const json::Value& utilization) {
  return json::Object{
      {"type", "Resource"},
      {"resource",
       json::Object{{"name", "cpu"},
                    {"target", json::Object{{"type", "Utilization"}, {"averageUtilization", utilization}}}}}};
}

/// Returns a behavior as Go writes a type without JSON names: each key begins with a capital, and nothing is
/// left out.
json::Value behavior_to_go(const View& behavior) {
  const auto member = [](const View& from, std::string_view path) {
    const json::Value* value = from.find(path);
    return value != nullptr ? *value : json::Value();
  };
  json::Object made;
  for (const auto& [key, path] : {std::pair{"ScaleUp", "scaleUp"}, std::pair{"ScaleDown", "scaleDown"}}) {
    if (!behavior.has(path)) {
      made[key] = nullptr;
      continue;
    }
    const View rules = behavior.at(path);
    json::Value policies;
    if (rules.has("policies")) {
      json::Array all;
      for (const View& policy : rules.items("policies")) {
        all.emplace_back(json::Object{{"Type", policy.text("type")},
                                      {"Value", policy.integer("value")},
                                      {"PeriodSeconds", policy.integer("periodSeconds")}});
      }
      policies = std::move(all);
    }
    made[key] = json::Object{{"StabilizationWindowSeconds", member(rules, "stabilizationWindowSeconds")},
                             {"SelectPolicy", member(rules, "selectPolicy")},
                             {"Policies", std::move(policies)},
                             {"Tolerance", member(rules, "tolerance")}};
  }
  return made;
}

/// Reads such a behavior; Go accepts keys in any case.
json::Value from_go(const json::Value& value) {
  if (const json::Array* list = value.if_array()) {
    json::Array made;
    for (const json::Value& one : *list) made.push_back(from_go(one));
    return made;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return value;
  json::Object made;
  for (const auto& member : *object) {
    if (member.value().is_null()) continue;
    std::string key(member.key());
    if (!key.empty()) key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
    made[key] = from_go(member.value());
  }
  return made;
}

void drop_annotations(Dynamic& object) {
  for (const std::string_view one :
       {metrics_annotation, statuses_annotation, behavior_annotation, conditions_annotation}) {
    object.remove_annotation(one);
  }
}

/// Returns the JSON in an annotation; std::nullopt: there is no such annotation, or it is no JSON.
std::optional<json::Value> annotated(const Dynamic& object, std::string_view key) {
  const auto text = object.annotations().find(key);
  if (!text) return std::nullopt;
  auto value = json::parse(*text);
  if (!value) return std::nullopt;
  return *std::move(value);
}

json::Array metrics_of(const std::optional<json::Value>& annotation, bool is_status) {
  json::Array made;
  if (!annotation || !annotation->is_array()) return made;
  for (const json::Value& one : annotation->get_array()) {
    if (const json::Object* metric = one.if_object()) made.push_back(to_v2(View(*metric), is_status));
  }
  return made;
}

}  // namespace

void convert_autoscaler_to_v1(Dynamic& object) {
  drop_annotations(object);
  json::Array others, statuses;
  std::optional<std::int64_t> target, current;
  for (const View& metric : object.items("spec.metrics")) {
    const auto utilization = metric.find_integer("resource.target.averageUtilization");
    if (is_cpu(metric) && utilization) {
      if (!target) target = utilization;
    } else {
      others.push_back(to_v1(metric, false));
    }
  }
  for (const View& metric : object.items("status.currentMetrics")) {
    statuses.push_back(to_v1(metric, true));
    const auto utilization = metric.find_integer("resource.current.averageUtilization");
    if (is_cpu(metric) && utilization) current = utilization;
  }
  if (!others.empty()) object.set_annotation(metrics_annotation, json::to_text(json::Value(others)));
  if (!statuses.empty()) object.set_annotation(statuses_annotation, json::to_text(json::Value(statuses)));
  if (object.has("spec.behavior")) {
    object.set_annotation(behavior_annotation, json::to_text(behavior_to_go(object.at("spec.behavior"))));
  }
  if (!object.items("status.conditions").empty()) {
    object.set_annotation(conditions_annotation, json::to_text(*object.find("status.conditions")));
  }
  for (const std::string_view path :
       {"spec.metrics", "spec.behavior", "status.currentMetrics", "status.conditions"}) {
    object.erase(path);
  }
  if (target) object.set("spec.targetCPUUtilizationPercentage", json::Value(*target));
  if (current) object.set("status.currentCPUUtilizationPercentage", json::Value(*current));
}

void convert_autoscaler_to_v2(Dynamic& object) {
  json::Array metrics = metrics_of(annotated(object, metrics_annotation), false);
  if (const json::Value* target = object.find("spec.targetCPUUtilizationPercentage");
      target != nullptr && !target->is_null()) {
    metrics.push_back(cpu_target(*target));
  }
  if (metrics.empty()) metrics.push_back(cpu_target(json::Value(default_cpu_utilization)));
  object.erase("spec.targetCPUUtilizationPercentage");
  object.set("spec.metrics", json::Value(std::move(metrics)));
  if (auto behavior = annotated(object, behavior_annotation); behavior && behavior->is_object()) {
    object.set("spec.behavior", from_go(*behavior));
  }
  const auto current = object.find_integer("status.currentCPUUtilizationPercentage");
  object.erase("status.currentCPUUtilizationPercentage");
  if (const auto statuses = annotated(object, statuses_annotation)) {
    object.set("status.currentMetrics", json::Value(metrics_of(statuses, true)));
  } else if (current) {
    object.set(
        "status.currentMetrics",
        json::Value(json::Array{json::Object{
            {"type", "Resource"},
            {"resource",
             json::Object{{"name", "cpu"}, {"current", json::Object{{"averageUtilization", *current}}}}}}}));
  }
  if (auto conditions = annotated(object, conditions_annotation); conditions && conditions->is_array()) {
    object.set("status.conditions", *std::move(conditions));
  }
  drop_annotations(object);
}

}  // namespace fairway::apiserver::resources
