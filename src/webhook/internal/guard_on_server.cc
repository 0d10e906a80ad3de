// SPDX-License-Identifier: Apache-2.0

#include "webhook/internal/guard_on_server.h"

#include <algorithm>
#include <vector>

#include "webhook/internal/present.h"

namespace fairway::webhook {
namespace {

bool has(const k8s::View& rule, std::string_view list, std::string_view wanted) {
  const auto texts = rule.texts(list);
  return std::ranges::any_of(texts, [&](std::string_view one) { return one == "*" || one == wanted; });
}

/// Returns whether a selector selects less than all.
bool selects(const k8s::View& webhook, std::string_view selector) {
  return !webhook.at(selector).map("matchLabels").empty() ||
         !webhook.at(selector).items("matchExpressions").empty();
}

/// Returns whether a rule has each CREATE and UPDATE of a resource in each version.
bool covers(const k8s::View& rule, const k8s::CustomResourceDefinition& definition,
            const std::string& resource) {
  const auto names = rule.texts("resources");
  const bool is_subresource = resource.contains('/');
  const bool has_resource = std::ranges::any_of(names, [&](std::string_view one) {
    return one == resource || one == "*/*" || (one == "*" && !is_subresource);
  });
  const auto versions = rule.texts("apiVersions");
  const std::string_view scope = rule.text("scope");
  const std::string_view own = definition.scope() == k8s::Scope::cluster ? "Cluster" : "Namespaced";
  return has_resource && has(rule, "apiGroups", definition.group()) &&
         std::ranges::find(versions, "*") != versions.end() && has(rule, "operations", "CREATE") &&
         has(rule, "operations", "UPDATE") && (scope.empty() || scope == "*" || scope == own);
}

std::string gap_of(const k8s::View& webhook, const Address& address,
                   const k8s::CustomResourceDefinition& definition) {
  k8s::Dynamic client;
  k8s::Editor edited = client.edit("clientConfig");
  address.write(edited);
  if (!is_present(json::Value(client.at("clientConfig").json()),
                  json::Value(webhook.at("clientConfig").json())))
    return "its clientConfig is not that of this server, " + address.to_string();
  const std::string_view policy = webhook.text("failurePolicy");
  if (!policy.empty() && policy != "Fail") return "its failurePolicy is not Fail";
  for (const std::string selector : {"namespaceSelector", "objectSelector"}) {
    if (selects(webhook, selector)) return "its " + selector + " is not empty";
  }
  if (!webhook.items("matchConditions").empty()) return "it has matchConditions";
  const std::string plural(definition.plural());
  std::vector<std::string> resources{plural, plural + "/status"};
  if (std::ranges::any_of(definition.versions(), &k8s::CustomResourceVersion::has_scale))
    resources.push_back(plural + "/scale");
  const auto rules = webhook.items("rules");
  for (const std::string& resource : resources) {
    if (std::ranges::none_of(rules,
                             [&](const k8s::View& rule) { return covers(rule, definition, resource); }))
      return "its rules do not cover each CREATE and UPDATE of " + resource + " in each version";
  }
  return {};
}

}  // namespace

std::string gap_on_server(const k8s::Dynamic& configuration, std::string_view webhook, const Address& address,
                          const k8s::CustomResourceDefinition& on_server) {
  if (configuration.is_being_deleted()) return "it is being deleted";
  for (const k8s::View& one : configuration.items("webhooks")) {
    if (one.text("name") == webhook) return gap_of(one, address, on_server);
  }
  return "it has no webhook of this name";
}

json::Array patch_to_see_all(const k8s::Dynamic& configuration, std::string_view webhook) {
  json::Array patch;
  const auto webhooks = configuration.items("webhooks");
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    if (webhooks[i].text("name") != webhook) continue;
    const std::string path = "/webhooks/" + std::to_string(i) + "/";
    for (const std::string selector : {"namespaceSelector", "objectSelector"}) {
      if (!selects(webhooks[i], selector)) continue;
      patch.push_back(json::Object{{"op", "replace"}, {"path", path + selector}, {"value", json::Object{}}});
    }
    if (!webhooks[i].items("matchConditions").empty())
      patch.push_back(json::Object{{"op", "remove"}, {"path", path + "matchConditions"}});
  }
  if (patch.empty()) return patch;
  // The places are those of this version of it.
  patch.push_back(json::Object{
      {"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", configuration.resource_version()}});
  return patch;
}

bool GuardSightings::record(const std::string& gap, SteadyTime now) {
  if (!gap.empty()) {
    since_.reset();
    effective_ = false;
    return false;
  }
  if (!since_) since_ = now;
  seen_ = now;
  effective_ = effective_ || now - *since_ >= settle;
  return effective_;
}

bool GuardSightings::record_unread(SteadyTime now) {
  if (effective_ && now - seen_ < trusted_unread) return true;
  since_.reset();
  effective_ = false;
  return false;
}

}  // namespace fairway::webhook
