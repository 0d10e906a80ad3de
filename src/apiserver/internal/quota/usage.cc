// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/quota/usage.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "apiserver/internal/kinds/volume_claim.h"
#include "apiserver/internal/quota/pod_usage.h"

namespace fairway::apiserver::quota {
namespace {

constexpr std::string_view storage_class_suffix = ".storageclass.storage.k8s.io/",
                           device_class_suffix = ".deviceclass.resource.k8s.io/devices";
/// The most devices that one claim may be given.
constexpr std::int64_t most_devices = 32;

const k8s::GroupResource pods{"", "pods"}, services{"", "services"}, claims{"", "persistentvolumeclaims"},
    device_claims{"resource.k8s.io", "resourceclaims"};

/// Returns whether objects of a resource have been counted by its plain name since before `count/`.
bool has_plain_name(const k8s::GroupResource& resource) {
  constexpr std::array names{"configmaps", "resourcequotas", "replicationcontrollers", "secrets"};
  return resource.group.empty() && std::ranges::find(names, resource.resource) != names.end();
}

Amounts service_usage(const k8s::View& service) {
  const std::string_view type = service.text("spec.type");
  std::int64_t ports = 0;
  if (type == "NodePort" || type == "LoadBalancer") {
    const bool allocates = type == "NodePort" || service.flag("spec.allocateLoadBalancerNodePorts", true);
    for (const k8s::View& port : service.items("spec.ports"))
      ports += allocates || port.integer("nodePort") != 0 ? 1 : 0;
  }
  return {{"services", Amount::of(1)},
          {"services.loadbalancers", Amount::of(type == "LoadBalancer" ? 1 : 0)},
          {"services.nodeports", Amount::of(ports)}};
}

/// Returns the size that a claim is being given; 0: none.
Amount allocated_size(const k8s::View& claim) {
  const json::Value* allocated = claim.find("status.allocatedResources.storage");
  return allocated != nullptr ? Amount::read(*allocated) : Amount();
}

Amounts claim_usage(const k8s::View& claim) {
  Amounts usage{{"persistentvolumeclaims", Amount::of(1)}};
  const json::Value* requested = claim.find(kinds::claim_size_path);
  if (requested != nullptr && !requested->is_null()) {
    Amount size = Amount::read(*requested);
    size = std::max(size, allocated_size(claim));
    usage["requests.storage"] = size.rounded_up();
  }
  if (const std::string class_name(kinds::storage_class_of(claim)); !class_name.empty()) {
    const std::string prefix = class_name + std::string(storage_class_suffix);
    for (const auto& [name, amount] : Amounts(usage)) usage[prefix + name] = amount;
  }
  return usage;
}

std::int64_t devices_of(const k8s::View& request) {
  const std::string_view mode = request.text("allocationMode");
  return mode == "ExactCount" ? request.integer("count") : mode == "All" ? most_devices : 0;
}

Amounts device_claim_usage(const k8s::View& claim) {
  Amounts usage;
  const auto name_of = [](const k8s::View& request) {
    return std::string(request.text("deviceClassName")) + std::string(device_class_suffix);
  };
  for (const k8s::View& request : claim.items("spec.devices.requests")) {
    const std::vector<k8s::View> choices = request.items("firstAvailable");
    Amounts most;
    for (const k8s::View& choice : choices) {
      Amount& one = most[name_of(choice)];
      one = std::max(one, Amount::of(devices_of(choice)));
    }
    if (choices.empty() && request.has("exactly")) {
      const k8s::View exactly = request.at("exactly");
      most[name_of(exactly)] = Amount::of(devices_of(exactly));
    }
    add(usage, most);
  }
  return usage;
}

bool uses_other_namespaces(const k8s::View& pod) {
  const auto is_across = [](const k8s::View& term) {
    return !term.texts("namespaces").empty() || term.has("namespaceSelector");
  };
  for (const std::string kind : {"spec.affinity.podAffinity.", "spec.affinity.podAntiAffinity."}) {
    for (const k8s::View& term : pod.items(kind + "requiredDuringSchedulingIgnoredDuringExecution"))
      if (is_across(term)) return true;
    for (const k8s::View& weighted : pod.items(kind + "preferredDuringSchedulingIgnoredDuringExecution"))
      if (is_across(weighted.at("podAffinityTerm"))) return true;
  }
  return false;
}

/// Names of the VolumeAttributesClasses that a claim has, had or is to have.
std::set<std::string_view> attribute_classes(const k8s::View& claim) {
  std::set<std::string_view> names;
  for (const std::string_view path :
       {"spec.volumeAttributesClassName", "status.currentVolumeAttributesClassName",
        "status.modifyVolumeStatus.targetVolumeAttributesClassName"}) {
    if (const std::string_view name = claim.text(path); !name.empty()) names.insert(name);
  }
  return names;
}

/// Returns whether an entry of a scope selector holds for one of the names, or for none.
bool selects(const k8s::View& selector, const std::set<std::string_view>& names) {
  const std::string_view operation = selector.text("operator");
  if (operation == "Exists") return !names.empty();
  if (operation == "DoesNotExist") return names.empty();
  const std::vector<std::string_view> values = selector.texts("values");
  const auto is_listed = [&](std::string_view name) {
    return std::ranges::find(values, name) != values.end();
  };
  if (operation == "In") return std::ranges::any_of(names, is_listed);
  return operation == "NotIn" && (names.empty() || !std::ranges::all_of(names, is_listed));
}

bool is_terminating(const k8s::View& pod) {
  return pod.integer("spec.activeDeadlineSeconds", -1) >= 0;
}

bool is_selected(const k8s::View& selector, const k8s::View& object, const k8s::GroupResource& resource) {
  const std::string_view scope = selector.text("scopeName");
  if (resource == claims)
    return scope == "VolumeAttributesClass" && selects(selector, attribute_classes(object));
  if (resource != pods) return false;
  if (scope == "Terminating") return is_terminating(object);
  if (scope == "NotTerminating") return !is_terminating(object);
  if (scope == "BestEffort") return object.text("status.qosClass") == "BestEffort";
  if (scope == "NotBestEffort") return object.text("status.qosClass") != "BestEffort";
  if (scope == "CrossNamespacePodAffinity") return uses_other_namespaces(object);
  if (scope != "PriorityClass") return false;
  const std::string_view name = object.text("spec.priorityClassName");
  return selects(selector, name.empty() ? std::set<std::string_view>{} : std::set{name});
}

}  // namespace

bool is_counted(const k8s::GroupResource& resource) {
  return resource.resource != "events" || (!resource.group.empty() && resource.group != "events.k8s.io");
}

bool counts(std::string_view name, const k8s::GroupResource& resource) {
  if (!is_counted(resource)) return false;
  if (resource == pods) return counts_pods(name);
  if (name == "count/" + resource.to_string()) return true;
  if (resource == services)
    return name == "services" || name == "services.nodeports" || name == "services.loadbalancers";
  if (resource == claims) {
    const std::size_t suffix = name.find(storage_class_suffix);
    const std::string_view plain =
        suffix == std::string_view::npos ? name : name.substr(suffix + storage_class_suffix.size());
    return plain == "persistentvolumeclaims" || plain == "requests.storage";
  }
  if (resource == device_claims) return name.ends_with(device_class_suffix);
  return has_plain_name(resource) && name == resource.resource;
}

bool counts_each(std::string_view name, const k8s::GroupResource& resource) {
  return name.starts_with("count/") || has_plain_name(resource) ||
         (resource == services && name == "services") ||
         (resource == claims && name == "persistentvolumeclaims");
}

Amounts usage_of(const k8s::View& object, const k8s::GroupResource& resource, WallTime now) {
  if (resource == pods) return pod_usage(object, now);
  Amounts usage;
  if (resource == services) usage = service_usage(object);
  if (resource == claims) usage = claim_usage(object);
  if (resource == device_claims) usage = device_claim_usage(object);
  if (has_plain_name(resource)) usage[resource.resource] = Amount::of(1);
  usage["count/" + resource.to_string()] = Amount::of(1);
  return usage;
}

bool has_in_scope(const k8s::View& quota, const k8s::View& object, const k8s::GroupResource& resource) {
  for (const std::string_view scope : quota.texts("spec.scopes")) {
    const json::Object exists{{"scopeName", scope}, {"operator", "Exists"}};
    if (!is_selected(k8s::View(exists), object, resource)) return false;
  }
  const std::vector<k8s::View> selectors = quota.items("spec.scopeSelector.matchExpressions");
  return std::ranges::all_of(
      selectors, [&](const k8s::View& selector) { return is_selected(selector, object, resource); });
}

bool may_change_usage(const k8s::View& object, const k8s::View* old, const k8s::GroupResource& resource,
                      resources::Part part) {
  if (old == nullptr) return true;
  if (resource == pods) {
    return part == resources::Part::resize ||
           (part == resources::Part::object && is_terminating(object) != is_terminating(*old));
  }
  if (resource == claims) {
    return part == resources::Part::object ||
           (part == resources::Part::status && (attribute_classes(object) != attribute_classes(*old) ||
                                                allocated_size(object) != allocated_size(*old)));
  }
  return part == resources::Part::object && (resource == services || resource == device_claims);
}

}  // namespace fairway::apiserver::quota
