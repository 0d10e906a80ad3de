// SPDX-License-Identifier: Apache-2.0

// Workloads, which make Pods.
#include <algorithm>

#include "apiserver/internal/table/cells.h"
#include "apiserver/internal/table/printer_column.h"
#include "base/text.h"

namespace fairway::apiserver::table {
namespace {

using k8s::View;

constexpr Header integer(std::string_view name) {
  return {.name = name, .type = "integer"};
}

std::string fraction(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

Row deployment(const View& object, WallTime now) {
  const View pod = object.at("spec.template.spec");
  std::string selector = selector_text(object, "spec.selector");
  // Deployments have words of their own.
  if (selector == "<none>") selector.clear();
  if (selector == "<error>") selector = "<invalid>";
  return {{name_of(object), fraction(object.integer("status.readyReplicas"), object.integer("spec.replicas")),
           object.integer("status.updatedReplicas"), object.integer("status.availableReplicas"),
           age(object, now), container_names(pod), container_images(pod), selector},
          {}};
}

Row replica_set(const View& object, WallTime now) {
  const View pod = object.at("spec.template.spec");
  return {{name_of(object), object.integer("spec.replicas"), object.integer("status.replicas"),
           object.integer("status.readyReplicas"), age(object, now), container_names(pod),
           container_images(pod), selector_text(object, "spec.selector")},
          {}};
}

/// Returns the row of a ReplicationController, whose selector is a map of labels.
Row replication_controller(const View& object, WallTime now) {
  const View pod = object.at("spec.template.spec");
  return {{name_of(object), object.integer("spec.replicas"), object.integer("status.replicas"),
           object.integer("status.readyReplicas"), age(object, now), container_names(pod),
           container_images(pod), labels_text(object.map("spec.selector"))},
          {}};
}

Row stateful_set(const View& object, WallTime now) {
  const View pod = object.at("spec.template.spec");
  return {{name_of(object), fraction(object.integer("status.readyReplicas"), object.integer("spec.replicas")),
           age(object, now), container_names(pod), container_images(pod)},
          {}};
}

Row daemon_set(const View& object, WallTime now) {
  const View pod = object.at("spec.template.spec");
  return {{name_of(object), object.integer("status.desiredNumberScheduled"),
           object.integer("status.currentNumberScheduled"), object.integer("status.numberReady"),
           object.integer("status.updatedNumberScheduled"), object.integer("status.numberAvailable"),
           labels_text(pod.map("nodeSelector")), age(object, now), container_names(pod),
           container_images(pod), selector_text(object, "spec.selector")},
          {}};
}

bool has_condition(const View& job, std::string_view type) {
  const std::vector<View> conditions = job.items("status.conditions");
  const auto found =
      std::ranges::find_if(conditions, [&](const View& one) { return one.text("type") == type; });
  return found != conditions.end() && found->text("status") == "True";
}

std::string_view status_of_job(const View& job) {
  if (has_condition(job, "Complete")) return "Complete";
  if (has_condition(job, "Failed")) return "Failed";
  if (job.has("metadata.deletionTimestamp")) return "Terminating";
  if (has_condition(job, "Suspended")) return "Suspended";
  if (has_condition(job, "FailureTarget")) return "FailureTarget";
  return has_condition(job, "SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

std::string completions_of(const View& job) {
  const std::int64_t succeeded = job.integer("status.succeeded");
  if (const auto wanted = job.find_integer("spec.completions")) return fraction(succeeded, *wanted);
  const std::int64_t parallelism = job.integer("spec.parallelism");
  return fraction(succeeded, 1) + (parallelism > 1 ? " of " + std::to_string(parallelism) : "");
}

std::string duration_of(const View& job, WallTime now) {
  if (!job.has("status.startTime")) return "";
  const WallTime end = job.find_time("status.completionTime").value_or(now);
  return age(job, "status.startTime", end);
}

Row job(const View& object, WallTime now) {
  const View pod = object.at("spec.template.spec");
  return {
      {name_of(object), status_of_job(object), completions_of(object), duration_of(object, now),
       age(object, now), container_names(pod), container_images(pod), selector_text(object, "spec.selector")},
      {}};
}

Row cron_job(const View& object, WallTime now) {
  const View pod = object.at("spec.jobTemplate.spec.template.spec");
  const auto suspend = object.find_flag("spec.suspend");
  const bool has_run = object.has("status.lastScheduleTime");
  return {
      {name_of(object), object.text("spec.schedule"), object.text("spec.timeZone", "<none>"),
       suspend ? (*suspend ? "True" : "False") : "<unset>", count(object, "status.active"),
       has_run ? age(object, "status.lastScheduleTime", now) : std::string("<none>"), age(object, now),
       container_names(pod), container_images(pod), selector_text(object, "spec.jobTemplate.spec.selector")},
      {}};
}

Row controller_revision(const View& object, WallTime now) {
  std::string controller = "<none>";
  for (const k8s::OwnerReference& owner : object.items<k8s::OwnerReference>("metadata.ownerReferences")) {
    if (!owner.controller()) continue;
    const std::string_view version = owner.api_version();
    const std::size_t slash = version.find('/');
    const std::string group(slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash));
    controller = to_lower(k8s::GroupKind{group, std::string(owner.kind())}.to_string()) + "/" +
                 std::string(owner.name());
    break;
  }
  return {{name_of(object), controller, object.integer("revision"), age(object, now)}, {}};
}

/// Returns a quantity or percentage of the specification.
std::string amount(const View& object, std::string_view path, std::string_view otherwise) {
  const json::Value* value = object.find(path);
  if (value == nullptr || value->is_null()) return std::string(otherwise);
  return value->is_string() ? std::string(value->get_string()) : json::to_text(*value);
}

/// Returns the measured and the wanted value of a metric: "20%/80%", "12m/50m (avg)".
std::string metric(const View& wanted, const View& measured, std::string_view member, bool has_average_only) {
  const View target = wanted.at(member).at("target"), current = measured.at(member).at("current");
  constexpr std::string_view unknown = "<unknown>";
  if (has_average_only || target.has("averageValue")) {
    return amount(current, "averageValue", unknown) + "/" + amount(target, "averageValue", "0") +
           (has_average_only ? "" : " (avg)");
  }
  const std::string now = measured.has(member) ? amount(current, "value", "0") : std::string(unknown);
  return now + "/" + amount(target, "value", "0");
}

/// Returns a metric of a resource: by quantity, or by percentage of the request.
std::string resource_metric(const View& wanted, const View& measured, std::string_view member) {
  const View target = wanted.at(member).at("target"), current = measured.at(member).at("current");
  const std::string name = std::string(wanted.at(member).text("name")) + ": ";
  if (target.has("averageValue")) {
    return name + amount(current, "averageValue", "<unknown>") + "/" + amount(target, "averageValue", "0");
  }
  const auto percent = [](const View& of, std::string_view otherwise) {
    const auto value = of.find_integer("averageUtilization");
    return value ? std::to_string(*value) + "%" : std::string(otherwise);
  };
  return name + percent(current, "<unknown>") + "/" + percent(target, "<auto>");
}

std::string metrics_of(const View& object) {
  const std::vector<View> wanted = object.items("spec.metrics"),
                          measured = object.items("status.currentMetrics");
  if (wanted.empty()) return "<none>";
  constexpr std::size_t most = 2;
  const json::Object nothing;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(wanted.size(), most); ++i) {
    const View now = i < measured.size() ? measured[i] : View(nothing);
    const std::string_view type = wanted[i].text("type");
    if (type == "External") {
      texts.push_back(metric(wanted[i], now, "external", false));
    } else if (type == "Object") {
      texts.push_back(metric(wanted[i], now, "object", false));
    } else if (type == "Pods") {
      texts.push_back(metric(wanted[i], now, "pods", true));
    } else if (type == "Resource") {
      texts.push_back(resource_metric(wanted[i], now, "resource"));
    } else if (type == "ContainerResource") {
      texts.push_back(resource_metric(wanted[i], now, "containerResource"));
    } else {
      texts.emplace_back("<unknown type>");
    }
  }
  std::string text = join(texts, ", ");
  if (wanted.size() > most) text += " + " + std::to_string(wanted.size() - most) + " more...";
  return text;
}

Row autoscaler(const View& object, WallTime now) {
  const auto least = object.find_integer("spec.minReplicas");
  return {{name_of(object),
           std::string(object.text("spec.scaleTargetRef.kind")) + "/" +
               std::string(object.text("spec.scaleTargetRef.name")),
           metrics_of(object), least ? std::to_string(*least) : std::string("<unset>"),
           object.integer("spec.maxReplicas"), object.integer("status.currentReplicas"), age(object, now)},
          {}};
}

Row scale(const View& object, WallTime now) {
  return {
      {name_of(object), object.integer("spec.replicas"), object.integer("status.replicas"), age(object, now)},
      {}};
}

}  // namespace

std::vector<Printer> workload_printers() {
  const std::vector<Header> replicas{name_header, integer("Desired"), integer("Current"), integer("Ready"),
                                     age_header,  wide("Containers"), wide("Images"),     wide("Selector")};
  return {
      {{"apps", "Deployment"},
       {name_header,
        {"Ready"},
        {"Up-to-date"},
        {"Available"},
        age_header,
        wide("Containers"),
        wide("Images"),
        wide("Selector")},
       &deployment},
      {{"apps", "ReplicaSet"}, replicas, &replica_set},
      {{"", "ReplicationController"}, replicas, &replication_controller},
      {{"apps", "StatefulSet"},
       {name_header, {"Ready"}, age_header, wide("Containers"), wide("Images")},
       &stateful_set},
      {{"apps", "DaemonSet"},
       {name_header,
        integer("Desired"),
        integer("Current"),
        integer("Ready"),
        integer("Up-to-date"),
        integer("Available"),
        {"Node Selector"},
        age_header,
        wide("Containers"),
        wide("Images"),
        wide("Selector")},
       &daemon_set},
      {{"batch", "Job"},
       {name_header,
        {"Status"},
        {"Completions"},
        {"Duration"},
        age_header,
        wide("Containers"),
        wide("Images"),
        wide("Selector")},
       &job},
      {{"batch", "CronJob"},
       {name_header,
        {"Schedule"},
        {"Timezone"},
        {.name = "Suspend", .type = "boolean"},
        integer("Active"),
        {"Last Schedule"},
        age_header,
        wide("Containers"),
        wide("Images"),
        wide("Selector")},
       &cron_job},
      {{"apps", "ControllerRevision"},
       {name_header, {"Controller"}, {"Revision"}, age_header},
       &controller_revision},
      {{"autoscaling", "HorizontalPodAutoscaler"},
       {name_header, {"Reference"}, {"Targets"}, {"MinPods"}, {"MaxPods"}, {"Replicas"}, age_header},
       &autoscaler},
      {{"autoscaling", "Scale"},
       {{.name = "Name"}, integer("Desired"), integer("Available"), age_header},
       &scale},
  };
}

}  // namespace fairway::apiserver::table
