// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/computed_defaults.h"

#include <map>
#include <string>
#include <utility>

#include "base/text.h"

namespace fairway::apiserver::kinds {

namespace {

std::string_view text_of(const json::Object& object, std::string_view name) {
  const json::Value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

/// Returns a member that is an object, or nullptr.
json::Object* object_in(json::Object& object, std::string_view name) {
  json::Value* value = object.if_contains(name);
  return value != nullptr ? value->if_object() : nullptr;
}

/// Returns a member that is an object. It is made if it does not exist.
json::Object& make_object(json::Object& object, std::string_view name) {
  json::Value& value = object[name];
  return value.is_object() ? value.get_object() : value.emplace_object();
}

/// Calls `take` for each object of a list.
template <class Take>
void each(json::Object& object, std::string_view name, Take take) {
  json::Value* value = object.if_contains(name);
  json::Array* list = value != nullptr ? value->if_array() : nullptr;
  if (list == nullptr) return;
  for (json::Value& element : *list) {
    if (json::Object* inner = element.if_object()) take(*inner);
  }
}

/// Returns whether a pointer is not set.
bool is_nil(const json::Object& object, std::string_view name) {
  const json::Value* value = object.if_contains(name);
  return value == nullptr || value->is_null();
}

void set_if_nil(json::Object& object, std::string_view name, json::Value value) {
  if (is_nil(object, name)) object[name] = std::move(value);
}

/// Returns the pull policy: "Always" for an image without a tag or digest, or tagged latest.
std::string_view pull_policy(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return "IfNotPresent";
  const std::size_t slash = image.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = name.rfind(':');
  // An image that cannot be named has no tag, not even the usual one.
  if (image.empty()) return "IfNotPresent";
  return colon == std::string_view::npos || name.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void container(json::Object& object) {
  if (is_unset(object, "imagePullPolicy")) object["imagePullPolicy"] = pull_policy(text_of(object, "image"));
}

void volume(json::Object& object) {
  if (object.size() == (object.contains("name") ? 1u : 0u)) object["emptyDir"].emplace_object();
  if (json::Object* image = object_in(object, "image"); image != nullptr && is_unset(*image, "pullPolicy")) {
    (*image)["pullPolicy"] = pull_policy(text_of(*image, "reference"));
  }
}

/// Adds the members of `from` that `to` lacks.
void add_missing(json::Object& to, const json::Object* from) {
  if (from == nullptr) return;
  for (const auto& [key, value] : *from) {
    if (!to.contains(key)) to.emplace(key, value);
  }
}

void pod(json::Object& object) {
  json::Object& spec = make_object(object, "spec");
  // Only a Pod: a template keeps what it says.
  if (const json::Value* seconds = spec.if_contains("terminationGracePeriodSeconds");
      seconds != nullptr && seconds->is_int64() && seconds->get_int64() < 0) {
    spec["terminationGracePeriodSeconds"] = 1;
  }
  const json::Value* host_network = spec.if_contains("hostNetwork");
  const bool on_host = host_network != nullptr && host_network->is_bool() && host_network->get_bool();
  for (const std::string_view list : {"containers", "initContainers"}) {
    each(spec, list, [&](json::Object& one) {
      json::Object* resources = object_in(one, "resources");
      if (json::Object* limits = resources != nullptr ? object_in(*resources, "limits") : nullptr) {
        const json::Object copy = *limits;
        add_missing(make_object(*resources, "requests"), &copy);
      }
      if (!on_host) return;
      each(one, "ports", [](json::Object& port) {
        if (is_unset(port, "hostPort") && port.contains("containerPort"))
          port["hostPort"] = port["containerPort"];
      });
    });
  }
}

/// Makes the address of a Pod and the list of its addresses say the same. The single one decides.
void pod_addresses(json::Object& status) {
  json::Object* first = nullptr;
  if (json::Value* list = status.if_contains("podIPs"); list != nullptr && list->is_array()) {
    if (!list->get_array().empty()) first = list->get_array().front().if_object();
  }
  const std::string one(text_of(status, "podIP"));
  if (one.empty()) {
    if (first != nullptr && !is_unset(*first, "ip")) status["podIP"] = (*first)["ip"];
  } else if (first == nullptr || text_of(*first, "ip") != one) {
    status["podIPs"] = json::Array{json::Object{{"ip", one}}};
  }
}

/// Sets how many devices a request is for.
void device_request(json::Object& request) {
  if (is_unset(request, "count") && text_of(request, "allocationMode") == "ExactCount") request["count"] = 1;
}

/// Sets the ServiceAccount under its old name and its new one.
void service_account(json::Object& spec) {
  constexpr std::string_view name = "serviceAccountName", old_name = "serviceAccount";
  if (is_unset(spec, name) && !is_unset(spec, old_name)) {
    const json::Value account = spec[old_name];
    spec[name] = account;
  }
  if (is_unset(spec, name)) return;
  const json::Value account = spec[name];
  spec[old_name] = account;
}

void service(json::Object& object) {
  json::Object& spec = make_object(object, "spec");
  if (is_unset(spec, "type")) spec["type"] = "ClusterIP";
  if (is_unset(spec, "sessionAffinity")) spec["sessionAffinity"] = "None";
  if (text_of(spec, "sessionAffinity") == "None") {
    spec.erase("sessionAffinityConfig");
  } else if (text_of(spec, "sessionAffinity") == "ClientIP") {
    constexpr int three_hours = 10'800;
    set_if_nil(make_object(make_object(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds",
               three_hours);
  }
  each(spec, "ports", [](json::Object& port) {
    if (is_unset(port, "targetPort") && port.contains("port")) port["targetPort"] = port["port"];
  });
  const std::string type(text_of(spec, "type"));
  const bool balanced = type == "LoadBalancer", on_nodes = type == "NodePort", cluster = type == "ClusterIP";
  const json::Value* external_ips = spec.if_contains("externalIPs");
  const bool external = cluster && external_ips != nullptr && external_ips->is_array();
  if ((balanced || on_nodes || external) && is_unset(spec, "externalTrafficPolicy")) {
    spec["externalTrafficPolicy"] = "Cluster";
  }
  if (balanced || on_nodes || cluster) set_if_nil(spec, "internalTrafficPolicy", "Cluster");
  if (!balanced) return;
  set_if_nil(spec, "allocateLoadBalancerNodePorts", true);
  json::Object* status = object_in(object, "status");
  json::Object* balancer = status != nullptr ? object_in(*status, "loadBalancer") : nullptr;
  if (balancer == nullptr) return;
  each(*balancer, "ingress", [](json::Object& one) {
    if (!is_unset(one, "ip")) set_if_nil(one, "ipMode", "VIP");
  });
}

void name_space(json::Object& object) {
  json::Object* metadata = object_in(object, "metadata");
  if (metadata == nullptr || is_unset(*metadata, "name")) return;
  const std::string name(text_of(*metadata, "name"));
  make_object(*metadata, "labels")["kubernetes.io/metadata.name"] = name;
}

void node_status(json::Object& object) {
  if (is_nil(object, "allocatable") && !is_nil(object, "capacity")) {
    json::Value capacity = object["capacity"];
    object["allocatable"] = std::move(capacity);
  }
}

void limit_range_item(json::Object& object) {
  if (text_of(object, "type") != "Container") return;
  const auto copy = [&](std::string_view name) {
    const json::Object* value = object_in(object, name);
    return value != nullptr ? *value : json::Object();
  };
  const json::Object most = copy("max"), least = copy("min");
  add_missing(make_object(object, "default"), &most);
  const json::Object limits = copy("default");
  json::Object& requests = make_object(object, "defaultRequest");
  add_missing(requests, &limits);
  add_missing(requests, &least);
}

/// Returns the object's labels, taken from the template if it has none; nullptr if the template has none.
json::Object* labels_of_template(json::Object& object) {
  json::Object* spec = object_in(object, "spec");
  json::Object* of_pods = spec != nullptr ? object_in(*spec, "template") : nullptr;
  json::Object* metadata = of_pods != nullptr ? object_in(*of_pods, "metadata") : nullptr;
  json::Object* labels = metadata != nullptr ? object_in(*metadata, "labels") : nullptr;
  if (labels == nullptr) return nullptr;
  const json::Value copy(*labels);
  set_if_nil(make_object(object, "metadata"), "labels", copy);
  return labels;
}

void replication_controller(json::Object& object) {
  if (json::Object* labels = labels_of_template(object)) {
    const json::Value copy(*labels);
    set_if_nil(make_object(object, "spec"), "selector", copy);
  }
}

void job(json::Object& object) {
  json::Object& spec = make_object(object, "spec");
  if (is_nil(spec, "completions") && is_nil(spec, "parallelism")) spec["completions"] = 1;
  set_if_nil(spec, "parallelism", 1);
  set_if_nil(spec, "backoffLimit", is_nil(spec, "backoffLimitPerIndex") ? 6 : INT32_MAX);
  set_if_nil(spec, "podReplacementPolicy",
             is_nil(spec, "podFailurePolicy") ? "TerminatingOrFailed" : "Failed");
  labels_of_template(object);
}

void rolling_update(json::Object& object, json::Value unavailable, json::Value surge) {
  if (text_of(object, "type") != "RollingUpdate") return;
  json::Object& rolling = make_object(object, "rollingUpdate");
  set_if_nil(rolling, "maxUnavailable", std::move(unavailable));
  set_if_nil(rolling, "maxSurge", std::move(surge));
}

void stateful_set_update(json::Object& object) {
  if (is_unset(object, "type")) {
    object["type"] = "RollingUpdate";
    make_object(object, "rollingUpdate");
  }
}

void network_policy_spec(json::Object& object) {
  if (!is_nil(object, "policyTypes")) return;
  json::Array types{"Ingress"};
  if (!is_nil(object, "egress")) types.emplace_back("Egress");
  object["policyTypes"] = std::move(types);
}

void subject(json::Object& object) {
  const std::string_view kind = text_of(object, "kind");
  if (is_unset(object, "apiGroup") && (kind == "User" || kind == "Group")) {
    object["apiGroup"] = "rbac.authorization.k8s.io";
  }
}

void autoscaler(json::Object& object) {
  if (is_nil(object, "metrics")) {
    object["metrics"] =
        json::parse(
            R"([{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}])")
            .value();
  }
  json::Object* behavior = object_in(object, "behavior");
  if (behavior == nullptr) return;
  const json::Value all = json::parse(R"({"type":"Percent","value":100,"periodSeconds":15})").value();
  json::Object& up = make_object(*behavior, "scaleUp");
  set_if_nil(up, "stabilizationWindowSeconds", 0);
  set_if_nil(up, "selectPolicy", "Max");
  set_if_nil(up, "policies",
             json::Array{json::parse(R"({"type":"Pods","value":4,"periodSeconds":15})").value(), all});
  json::Object& down = make_object(*behavior, "scaleDown");
  set_if_nil(down, "selectPolicy", "Max");
  set_if_nil(down, "policies", json::Array{all});
}

void definition(json::Object& object) {
  json::Object& spec = make_object(object, "spec");
  json::Object& names = make_object(spec, "names");
  const std::string kind(text_of(names, "kind"));
  if (is_unset(names, "singular")) names["singular"] = to_lower(kind);
  if (is_unset(names, "listKind") && !kind.empty()) names["listKind"] = kind + "List";
  json::Object& status = make_object(object, "status");
  if (!is_nil(status, "storedVersions")) return;
  std::string stored;
  each(spec, "versions", [&](json::Object& version) {
    const json::Value* storage = version.if_contains("storage");
    const bool is_stored = storage != nullptr && storage->is_bool() && storage->get_bool();
    if (is_stored && stored.empty()) stored = text_of(version, "name");
  });
  if (!stored.empty()) status["storedVersions"] = json::Array{json::Value(stored)};
}

using Rule = void (*)(json::Object&);

const std::map<std::pair<std::string_view, std::string_view>, Rule>& rules() {
  static const std::map<std::pair<std::string_view, std::string_view>, Rule> all{
      {{"", "Container"}, container},
      {{"", "EphemeralContainer"}, container},
      {{"", "Volume"}, volume},
      {{"", "Pod"}, pod},
      {{"", "PodSpec"}, service_account},
      {{"", "PodStatus"}, pod_addresses},
      {{"", "Service"}, service},
      {{"", "Namespace"}, name_space},
      {{"", "NodeStatus"}, node_status},
      {{"", "LimitRangeItem"}, limit_range_item},
      {{"", "ReplicationController"}, replication_controller},
      {{"batch", "Job"}, job},
      {{"apps", "DeploymentStrategy"}, [](json::Object& o) { rolling_update(o, "25%", "25%"); }},
      {{"apps", "DaemonSetUpdateStrategy"}, [](json::Object& o) { rolling_update(o, 1, 0); }},
      {{"apps", "StatefulSetUpdateStrategy"}, stateful_set_update},
      {{"resource.k8s.io", "ExactDeviceRequest"}, device_request},
      {{"resource.k8s.io", "DeviceSubRequest"}, device_request},
      {{"networking.k8s.io", "NetworkPolicySpec"}, network_policy_spec},
      {{"rbac.authorization.k8s.io", "Subject"}, subject},
      {{"apiextensions.k8s.io", "CustomResourceDefinition"}, definition},
  };
  return all;
}

}  // namespace

bool is_unset(const json::Object& object, std::string_view name) {
  const json::Value* value = object.if_contains(name);
  if (value == nullptr || value->is_null()) return true;
  return value->is_string() ? value->get_string().empty() : value->is_int64() && value->get_int64() == 0;
}

void apply_computed_defaults(json::Object& object, const MessageType& type) {
  const auto found = rules().find({type.group(), type.name()});
  if (found != rules().end()) return found->second(object);
  // In version 1 metrics are annotations.
  if (type.go_name() == "v2.HorizontalPodAutoscalerSpec") autoscaler(object);
}

}  // namespace fairway::apiserver::kinds
