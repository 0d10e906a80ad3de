// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/service_families.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/internal/resources/service_network.h"
#include "apiserver/internal/validation/formats.h"
#include "k8s/equality.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view none = "None", ips_path = "spec.clusterIPs", families_path = "spec.ipFamilies",
                           policy_path = "spec.ipFamilyPolicy";
constexpr std::string_view single = "SingleStack", prefer_dual = "PreferDualStack",
                           require_dual = "RequireDualStack", ipv4 = "IPv4", ipv6 = "IPv6";

json::Value value_at(const Dynamic& object, std::string_view path) {
  const json::Value* value = object.find(path);
  return value != nullptr ? *value : json::Value();
}

std::string at(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

bool is_headless_without_selector(const Dynamic& service) {
  return service.text("spec.clusterIP") == none && service.map("spec.selector").empty();
}

/// Sets a missing policy: that of the stored Service, or else the default for the Service.
void set_policy(Dynamic& service, const Dynamic* old) {
  if (service.has(policy_path)) return;
  if (old != nullptr && old->has(policy_path)) {
    service.set(policy_path, old->text(policy_path));
  } else {
    service.set(policy_path, is_headless_without_selector(service) ? require_dual : single);
  }
}

/// Reduces a Service to one address and family if its policy says so.
std::vector<FieldError> reduce(Dynamic& service, const Dynamic& old) {
  std::vector<FieldError> errors;
  const bool is_single = service.text(policy_path) == single;
  for (const auto& [path, what] :
       {std::pair{ips_path, "cluster IP"}, std::pair{families_path, "IP family"}}) {
    const std::size_t now = service.texts(path).size(), before = old.texts(path).size();
    if (is_single && now > 1 && k8s::equal_with_null_as_absent(service, old, path)) {
      service.array(path).resize(1);
    } else if (!is_single && now != 0 && now < before) {
      errors.push_back(
          FieldError::invalid(policy_path, value_at(service, policy_path),
                              "must be 'SingleStack' to release the secondary " + std::string(what)));
    }
  }
  return errors;
}

/// Adds the families of the given addresses.
void infer_families(Dynamic& service, std::vector<FieldError>& errors) {
  const json::Value all = value_at(service, ips_path);
  std::vector<std::string> ips;
  for (const std::string_view ip : service.texts(ips_path)) ips.emplace_back(ip);
  for (std::size_t i = 0; i < ips.size() && ips[i] != none; ++i) {
    if (i < service.texts(families_path).size()) continue;
    if (is_ipv6(ips[i])) {
      errors.push_back(FieldError::invalid(at(ips_path, i), all, "IPv6 is not configured on this cluster"));
    } else {
      service.array(families_path).emplace_back(ipv4);
    }
  }
}

}  // namespace

bool needs_cluster_ip(const Dynamic& service) {
  return service.text("spec.type") != "ExternalName";
}

std::vector<FieldError> check_cluster_ips(const Dynamic& service, const Dynamic* old) {
  std::vector<FieldError> errors;
  if (!needs_cluster_ip(service)) return errors;
  const std::vector<std::string_view> ips = service.texts(ips_path), families = service.texts(families_path);
  const json::Value all = value_at(service, ips_path);
  const std::string_view ip = service.text("spec.clusterIP");
  if (!ip.empty() && ips.empty()) {
    errors.push_back(FieldError::required(ips_path, ""));
  } else if (!ip.empty() && ips.front() != ip) {
    errors.push_back(FieldError::invalid(ips_path, all, "first value must match `clusterIP`"));
  } else if (ip.empty() && !ips.empty()) {
    errors.push_back(FieldError::invalid(ips_path, all, "must be empty when `clusterIP` is not specified"));
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (families[i] != ipv4 && families[i] != ipv6) {
      errors.push_back(
          FieldError::not_supported(at(families_path, i), json::Value(families[i]), {ipv4, ipv6}));
    }
    if (!seen.insert(families[i]).second) {
      errors.push_back(FieldError::duplicate(at(families_path, i), json::Value(families[i])));
    }
  }
  const std::string_view policy = service.text(policy_path);
  if (service.has(policy_path) && policy != single && policy != prefer_dual && policy != require_dual) {
    errors.push_back(
        FieldError::not_supported(policy_path, json::Value(policy), {prefer_dual, require_dual, single}));
  }
  const std::vector<std::string_view> before =
      old != nullptr ? old->texts(ips_path) : std::vector<std::string_view>{};
  bool is_wrong = false;
  for (std::size_t i = 0; i < ips.size(); ++i) {
    if (i == 0 && ips[i] == none) {
      is_wrong |= ips.size() > 1;
      if (ips.size() > 1) {
        errors.push_back(FieldError::invalid(ips_path, all, "'None' must be the first and only value"));
      }
      continue;
    }
    if (std::ranges::find(before, ips[i]) != before.end()) continue;
    for (const std::string& fault : validation::check_ip(ips[i])) {
      is_wrong = true;
      errors.push_back(FieldError::invalid(at(ips_path, i), json::Value(ips[i]), fault));
    }
  }
  if (ips.size() > 2) {
    errors.push_back(FieldError::invalid(ips_path, all, "may only hold up to 2 values"));
  }
  if (is_wrong) return errors;
  const auto of_ipv6 = std::ranges::count_if(ips, &is_ipv6);
  if (ips.size() > 1 && (of_ipv6 == 0 || of_ipv6 == std::ssize(ips))) {
    errors.push_back(
        FieldError::invalid(ips_path, all, "may specify no more than one IP for each IP family"));
  }
  if (ip == none) return errors;
  for (std::size_t i = 0; i < std::min(ips.size(), families.size()); ++i) {
    if (families[i] != (is_ipv6(ips[i]) ? ipv4 : ipv6)) continue;
    errors.push_back(FieldError::invalid(at(ips_path, i), json::Value(ips[i]),
                                         "expected an " + std::string(families[i]) +
                                             " value as indicated by `ipFamilies[" + std::to_string(i) +
                                             "]`"));
  }
  return errors;
}

bool needs_node_port(const Dynamic& service) {
  const std::string_view type = service.text("spec.type");
  return type == "NodePort" ||
         (type == "LoadBalancer" && service.flag("spec.allocateLoadBalancerNodePorts", true));
}

bool needs_health_check_port(const Dynamic& service) {
  return service.text("spec.type") == "LoadBalancer" && service.text("spec.externalTrafficPolicy") == "Local";
}

bool same_cluster_ips(const Dynamic& a, const Dynamic& b) {
  return a.text("spec.clusterIP") == b.text("spec.clusterIP") &&
         k8s::equal_with_null_as_absent(a, b, ips_path);
}

bool keeps_dual_stack(const Dynamic& service, const Dynamic* old) {
  if (old == nullptr || !needs_cluster_ip(service)) return false;
  return service.text(policy_path) == prefer_dual && old->text(policy_path) == prefer_dual &&
         service.text("spec.type") == old->text("spec.type") &&
         k8s::equal_with_null_as_absent(service, *old, ips_path) &&
         k8s::equal_with_null_as_absent(service, *old, families_path);
}

void normalize_cluster_ips(Dynamic& service, const Dynamic* old) {
  const std::string ip(service.text("spec.clusterIP"));
  const auto take_singular = [&] { service.set(ips_path, json::Value(json::Array{json::Value(ip)})); };
  if (old == nullptr) {
    if (!ip.empty() && service.texts(ips_path).empty()) take_singular();
    return;
  }
  const std::string_view before = old->text("spec.clusterIP");
  if (service.texts(ips_path).empty() && !old->texts(ips_path).empty() && before == ip) {
    service.set(ips_path, value_at(*old, ips_path));
  }
  // Who changes the one alone means both.
  if (before == ip || !k8s::equal_with_null_as_absent(service, *old, ips_path)) return;
  if (ip.empty()) {
    service.erase(ips_path);
  } else {
    take_singular();
  }
}

k8s::Status invalid_service(const Dynamic& service, const std::vector<FieldError>& errors) {
  return k8s::answer::invalid({"", "Service"}, service.name(), errors);
}

k8s::StatusResult<void> set_families(Dynamic& service, const Dynamic* old) {
  if (!needs_cluster_ip(service) || keeps_dual_stack(service, old)) return {};
  set_policy(service, old);
  std::vector<FieldError> errors = check_cluster_ips(service, old);
  if (!errors.empty()) return std::unexpected(invalid_service(service, errors));
  if (old != nullptr) errors = reduce(service, *old);
  const json::Value policy = value_at(service, policy_path);
  if (service.text(policy_path) == single) {
    constexpr std::string_view must = "must be 'RequireDualStack' or 'PreferDualStack' when multiple ";
    if (service.texts(ips_path).size() == 2) {
      errors.push_back(
          FieldError::invalid(policy_path, policy, std::string(must) + "cluster IPs are specified"));
    }
    if (service.texts(families_path).size() == 2) {
      errors.push_back(
          FieldError::invalid(policy_path, policy, std::string(must) + "IP families are specified"));
    }
  }
  infer_families(service, errors);
  if (!errors.empty()) return std::unexpected(invalid_service(service, errors));

  json::Array& families = service.array(families_path);
  if (is_headless_without_selector(service)) {
    // Nobody gives its endpoints addresses here: they may be of both.
    if (families.empty()) families.emplace_back(ipv4);
    if (families.size() < 2 && service.text(policy_path) != single) {
      const bool is_first_ipv4 = service.texts(families_path).front() == ipv4;
      service.array(families_path).emplace_back(is_first_ipv4 ? ipv6 : ipv4);
    }
    return {};
  }
  if (service.text(policy_path) == require_dual) {
    errors.push_back(
        FieldError::invalid(policy_path, policy, "this cluster is not configured for dual-stack services"));
  }
  const std::vector<std::string_view> wanted = service.texts(families_path);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == ipv4) continue;
    errors.push_back(
        FieldError::invalid(at(families_path, i), json::Value(wanted[i]), "not configured on this cluster"));
  }
  if (!errors.empty()) return std::unexpected(invalid_service(service, errors));
  if (families.empty()) families.emplace_back(ipv4);
  return {};
}

}  // namespace fairway::apiserver::resources
