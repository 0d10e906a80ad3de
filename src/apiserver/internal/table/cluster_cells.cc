// SPDX-License-Identifier: Apache-2.0

// Nodes, namespaces, and what belongs to the cluster itself.
#include <algorithm>
#include <optional>
#include <set>

#include "apiserver/internal/table/cells.h"
#include "base/text.h"

namespace fairway::apiserver::table {
namespace {

using k8s::View;

std::string status_of_node(const View& node) {
  std::string status = "Unknown";
  for (const View& condition : node.items("status.conditions")) {
    if (condition.text("type") == "Ready") status = condition.text("status") == "True" ? "Ready" : "NotReady";
  }
  if (node.flag("spec.unschedulable")) status += ",SchedulingDisabled";
  return status;
}

std::string roles_of(const View& node) {
  constexpr std::string_view prefix = "node-role.kubernetes.io/", label = "kubernetes.io/role";
  std::set<std::string> roles;
  for (const auto& [key, value] : node.map("metadata.labels")) {
    if (key.starts_with(prefix) && key.size() > prefix.size()) {
      roles.emplace(key.substr(prefix.size()));
    } else if (key == label && !value.empty()) {
      roles.emplace(value);
    }
  }
  return roles.empty() ? "<none>" : join({roles.begin(), roles.end()}, ",");
}

std::string address_of(const View& node, std::string_view type) {
  for (const View& address : node.items("status.addresses")) {
    if (address.text("type") == type) return std::string(address.text("address"));
  }
  return "<none>";
}

Row node(const View& object, WallTime now) {
  const View info = object.at("status.nodeInfo");
  std::string kernel = text_or(info, "kernelVersion", "<unknown>");
  if (!info.text("architecture").empty()) kernel += " (" + std::string(info.text("architecture")) + ")";
  return {
      {name_of(object), status_of_node(object), roles_of(object), age(object, now),
       info.text("kubeletVersion"), address_of(object, "InternalIP"), address_of(object, "ExternalIP"),
       text_or(info, "osImage", "<unknown>"), kernel, text_or(info, "containerRuntimeVersion", "<unknown>")},
      {}};
}

Row name_space(const View& object, WallTime now) {
  return {{name_of(object), object.text("status.phase"), age(object, now)}, {}};
}

Row config_map(const View& object, WallTime now) {
  return {{name_of(object), count(object, "data") + count(object, "binaryData"), age(object, now)}, {}};
}

Row secret(const View& object, WallTime now) {
  return {{name_of(object), object.text("type"), count(object, "data"), age(object, now)}, {}};
}

Row service_account(const View& object, WallTime now) {
  return {{name_of(object), age(object, now)}, {}};
}

/// Returns a member of events of the core group, or that of events.k8s.io.
std::string_view either(const View& event, std::string_view core, std::string_view newer) {
  const auto found = event.find_text(core);
  return found ? *found : event.text(newer);
}

Row event(const View& object, WallTime now) {
  const auto since = [&](std::string_view core, std::string_view newer) -> std::optional<std::string> {
    for (const std::string_view path : {core, newer}) {
      if (object.find_time(path)) return age(object, path, now);
    }
    return std::nullopt;
  };
  const std::string first =
      since("firstTimestamp", "deprecatedFirstTimestamp").value_or(age(object, "eventTime", now));
  std::string last = since("lastTimestamp", "deprecatedLastTimestamp").value_or(first);
  std::int64_t times = object.integer("count", object.integer("deprecatedCount"));
  if (object.has("series")) {
    last = age(object, "series.lastObservedTime", now);
    times = object.integer("series.count");
  } else if (times == 0) {
    times = 1;
  }
  const View subject = object.has("involvedObject") ? object.at("involvedObject") : object.at("regarding");
  std::string target = to_lower(subject.text("kind"));
  if (!subject.text("name").empty()) target += "/" + std::string(subject.text("name"));
  const auto first_of = [](std::string_view a, std::string_view b) { return a.empty() ? b : a; };
  std::string source(first_of(either(object, "source.component", "deprecatedSource.component"),
                              either(object, "reportingComponent", "reportingController")));
  const std::string_view instance =
      first_of(either(object, "source.host", "deprecatedSource.host"), object.text("reportingInstance"));
  if (!instance.empty()) source.append(", ").append(instance);
  return {{last, object.text("type"), object.text("reason"), target, subject.text("fieldPath"), source,
           trim(either(object, "message", "note")), first, times, name_of(object)},
          {}};
}

Row lease(const View& object, WallTime now) {
  return {{name_of(object), object.text("spec.holderIdentity"), age(object, now)}, {}};
}

Row runtime_class(const View& object, WallTime now) {
  return {{name_of(object), object.text("handler"), age(object, now)}, {}};
}

Row api_service(const View& object, WallTime now) {
  std::string service = "Local", available = "Unknown";
  if (object.has("spec.service")) {
    service = std::string(object.text("spec.service.namespace")) + "/" +
              std::string(object.text("spec.service.name"));
  }
  for (const View& condition : object.items("status.conditions")) {
    if (condition.text("type") != "Available") continue;
    available = condition.text("status");
    if (available != "True" && !condition.text("reason").empty()) {
      available += " (" + std::string(condition.text("reason")) + ")";
    }
    break;
  }
  return {{name_of(object), service, available, age(object, now)}, {}};
}

/// Returns the versions that are served, in the order of their names.
std::string served_versions(const View& definition) {
  std::vector<std::string> versions;
  for (const View& version : definition.items("spec.versions")) {
    if (!version.flag("served")) continue;
    versions.push_back(std::string(version.text("name")) + (version.flag("storage") ? "(storage)" : ""));
  }
  std::ranges::sort(versions);
  return join(versions, ",");
}

Row definition(const View& object, WallTime) {
  std::vector<std::string> short_names;
  for (const std::string_view name : object.texts("spec.names.shortNames")) short_names.emplace_back(name);
  const auto conditions = object.items("status.conditions");
  const bool is_established = std::ranges::any_of(conditions, [](const View& one) {
    return one.text("type") == "Established" && one.text("status") == "True";
  });
  return {{name_of(object), object.text("spec.scope"), served_versions(object),
           object.text("metadata.creationTimestamp"), object.text("spec.group"),
           object.text("spec.names.kind"), join(short_names, ","), is_established},
          {}};
}

}  // namespace

std::vector<Printer> cluster_printers() {
  const Header creation_header{.name = "Created At", .type = "date"};
  const std::vector<Header> events{{"Last Seen"},     {"Type"},
                                   {"Reason"},        {"Object"},
                                   wide("Subobject"), wide("Source"),
                                   {"Message"},       wide("First Seen"),
                                   wide("Count"),     {.name = "Name", .priority = 1, .format = "name"}};
  return {
      {{"apiextensions.k8s.io", "CustomResourceDefinition"},
       {name_header,
        {"Scope"},
        {"Versions"},
        creation_header,
        wide("Group"),
        wide("Kind"),
        wide("ShortNames"),
        {.name = "Established", .type = "boolean", .priority = 1}},
       &definition},
      {{"", "Node"},
       {name_header,
        {"Status"},
        {"Roles"},
        age_header,
        {"Version"},
        wide("Internal-IP"),
        wide("External-IP"),
        wide("OS-Image"),
        wide("Kernel-Version"),
        wide("Container-Runtime")},
       &node},
      {{"", "Namespace"}, {name_header, {"Status"}, age_header}, &name_space},
      {{"", "ConfigMap"}, {name_header, {"Data"}, age_header}, &config_map},
      {{"", "Secret"}, {name_header, {"Type"}, {"Data"}, age_header}, &secret},
      {{"", "ServiceAccount"}, {name_header, age_header}, &service_account},
      {{"", "Event"}, events, &event},
      {{"events.k8s.io", "Event"}, events, &event},
      {{"coordination.k8s.io", "Lease"}, {name_header, {"Holder"}, age_header}, &lease},
      {{"node.k8s.io", "RuntimeClass"}, {name_header, {"Handler"}, age_header}, &runtime_class},
      {{"apiregistration.k8s.io", "APIService"},
       {name_header, {"Service"}, {"Available"}, age_header},
       &api_service},
  };
}

}  // namespace fairway::apiserver::table
