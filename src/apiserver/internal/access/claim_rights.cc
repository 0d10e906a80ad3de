// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/claim_rights.h"

#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "k8s/equality.h"

namespace fairway::apiserver::access {
namespace {

using k8s::FieldError;
using k8s::View;

constexpr std::string_view group = "resource.k8s.io", resource = "resourceclaims";
/// Driver, pool, device and share.
using DeviceKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

std::map<DeviceKey, const json::Object*> devices_of(const k8s::Dynamic& claim) {
  std::map<DeviceKey, const json::Object*> devices;
  for (const View& one : claim.items("status.devices"))
    devices[{one.text("driver"), one.text("pool"), one.text("device"), one.text("shareID")}] = &one.json();
  return devices;
}

/// Returns the drivers with devices that were added, removed or changed.
std::set<std::string> changed_drivers(const k8s::Dynamic& object, const k8s::Dynamic& old) {
  const auto now = devices_of(object), before = devices_of(old);
  std::set<std::string> drivers;
  for (const auto& [key, device] : now) {
    const auto found = before.find(key);
    if (found == before.end() || json::Value(*found->second) != json::Value(*device))
      drivers.emplace(std::get<0>(key));
  }
  for (const auto& [key, device] : before)
    if (!now.contains(key)) drivers.emplace(std::get<0>(key));
  return drivers;
}

/// Returns the node that an allocation is for alone; empty: it is not for one.
std::string_view node_of(const k8s::Dynamic& claim) {
  const auto terms = claim.items("status.allocation.nodeSelector.nodeSelectorTerms");
  if (terms.size() != 1 || !terms[0].items("matchExpressions").empty()) return {};
  const auto fields = terms[0].items("matchFields");
  if (fields.size() != 1 || fields[0].text("key") != "metadata.name" || fields[0].text("operator") != "In")
    return {};
  const auto names = fields[0].texts("values");
  return names.size() == 1 ? names[0] : std::string_view();
}

bool is_on_node(const User& user, std::string_view node) {
  if (node.empty() || !user.name.starts_with("system:serviceaccount:")) return false;
  const auto names = user.extra.find("authentication.kubernetes.io/node-name");
  return names != user.extra.end() && names->second.size() == 1 && names->second.front() == node;
}

/// Returns why a user has no verb on a subresource of claims; empty: they have it.
std::string refusal(const Authorizer& authorize, const User& user, const Attributes& attributes) {
  const Decision decision = authorize(user, attributes);
  if (decision.allowed) return {};
  const std::string name = attributes.name.empty() ? "" : " \"" + attributes.name + "\"";
  return std::string(resource) + "." + std::string(group) + name +
         " is forbidden: " + attributes.refusal(user.name, decision.reason);
}

Attributes attributes_of(const std::string& verb, const char* subresource) {
  return {.verb = verb,
          .is_resource = true,
          .group = std::string(group),
          .version = "v1",
          .resource = std::string(resource),
          .subresource = subresource};
}

void check_driver(std::vector<FieldError>& errors, const Authorizer& authorize, const ClaimStatusWrite& write,
                  const std::string& driver) {
  std::vector<std::string> verbs{"arbitrary-node:" + write.verb};
  if (is_on_node(write.user, node_of(write.object)))
    verbs.insert(verbs.begin(), "associated-node:" + write.verb);
  std::string first;
  for (const std::string& verb : verbs) {
    Attributes attributes = attributes_of(verb, "driver");
    attributes.namespace_name = write.object.namespace_name();
    attributes.name = driver;
    const std::string why = refusal(authorize, write.user, attributes);
    if (why.empty()) return;
    if (first.empty()) first = why;
  }
  errors.push_back(FieldError::forbidden(
      "status.devices", "changing status.devices requires resource=\"resourceclaims/driver\", verb=\"[" +
                            join(verbs, " ") + "]\" permission: " + first));
}

}  // namespace

std::vector<FieldError> claim_status_errors(const Authorizer& authorize, const ClaimStatusWrite& write) {
  std::vector<FieldError> errors;
  if (!k8s::equal_with_null_as_absent(write.object, write.old, "status.allocation") ||
      !k8s::equal_with_null_as_absent(write.object, write.old, "status.reservedFor")) {
    const std::string why = refusal(authorize, write.user, attributes_of(write.verb, "binding"));
    if (!why.empty()) {
      errors.push_back(FieldError::forbidden("status.allocation",
                                             "changing status.allocation or status.reservedFor requires "
                                             "resource=\"resourceclaims/binding\", verb=\"" +
                                                 write.verb + "\" permission: " + why));
    }
  }
  for (const std::string& driver : changed_drivers(write.object, write.old))
    check_driver(errors, authorize, write, driver);
  return errors;
}

std::string admin_access_path(const k8s::Dynamic& claim, const k8s::Dynamic* old) {
  const auto find = [](const k8s::Dynamic& one, std::string_view list, std::string_view member) {
    std::size_t index = 0;
    for (const View& item : one.items(list)) {
      if (item.flag(member)) return std::string(list) + "[" + std::to_string(index) + "].adminAccess";
      ++index;
    }
    return std::string();
  };
  constexpr std::string_view results = "status.allocation.devices.results";
  constexpr std::string_view requests = "spec.devices.requests", flag = "exactly.adminAccess";
  if (old == nullptr) {
    if (std::string path = find(claim, requests, flag); !path.empty()) return path;
    // That of a template. The error names it as if it were the claim's.
    const std::string path = find(claim, "spec.spec.devices.requests", flag);
    return path.empty() ? path : path.substr(std::string_view("spec.").size());
  }
  // What was granted before stays.
  return find(*old, results, "adminAccess").empty() ? find(claim, results, "adminAccess") : std::string();
}

}  // namespace fairway::apiserver::access
