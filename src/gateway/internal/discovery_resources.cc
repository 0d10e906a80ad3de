#include "gateway/internal/discovery_resources.h"

#include <string_view>
#include <utility>

namespace fairway::gateway {

namespace {

using xds::ResourceName;
using xds::Type;

/// Names of resources in another.
struct Named {
  std::set<std::string> clusters, secrets;
};

void find_named(const json::Value& value, Named& named);

/// Finds them, wherever they are.
void find_named(const json::Object& object, Named& named) {
  if (object.contains("sds_config")) {
    const json::Value* const name = object.if_contains("name");
    if (name != nullptr && name->is_string()) named.secrets.emplace(name->get_string());
  }
  for (const auto& [key, member] : object) {
    if (key == "cluster" && member.is_string()) {
      named.clusters.emplace(member.get_string());
    } else if (key == "clusters" && member.is_array()) {
      for (const json::Value& one : member.get_array()) {
        if (const auto name = json::find_string(one, "name")) named.clusters.emplace(*name);
      }
    }
    find_named(member, named);
  }
}

void find_named(const json::Value& value, Named& named) {
  if (value.is_array()) {
    for (const json::Value& one : value.get_array()) find_named(one, named);
  } else if (value.is_object()) {
    find_named(value.get_object(), named);
  }
}

}  // namespace

xds::Resources discovery_resources(Translation translation) {
  xds::Resources resources;
  for (auto& [name, cluster] : translation.clusters) {
    json::Object by_discovery = std::move(cluster);
    json::Object endpoints = std::move(by_discovery.at("load_assignment").get_object());
    by_discovery.erase("load_assignment");
    by_discovery["type"] = "EDS";
    by_discovery["eds_cluster_config"] =
        json::Object{{"eds_config", json::Object{{"ads", json::Object{}}, {"resource_api_version", "V3"}}}};
    resources.emplace(ResourceName{Type::cluster, name}, std::move(by_discovery));
    resources.emplace(ResourceName{Type::endpoints, name}, std::move(endpoints));
  }
  for (auto& [name, listener] : translation.listeners)
    resources.emplace(ResourceName{Type::listener, name}, std::move(listener));
  for (auto& [name, routes] : translation.routes)
    resources.emplace(ResourceName{Type::route, name}, std::move(routes));
  for (auto& [name, secret] : translation.secrets)
    resources.emplace(ResourceName{Type::secret, name}, std::move(secret));
  return resources;
}

std::map<std::string, std::set<ResourceName>> needs_of_listeners(const Translation& translation) {
  std::map<std::string, std::set<ResourceName>> needs;
  const auto add = [&](std::set<ResourceName>& all, const json::Object& resource) {
    Named named;
    find_named(resource, named);
    for (const std::string& cluster : named.clusters) {
      const auto found = translation.clusters.find(cluster);
      if (found == translation.clusters.end()) continue;
      all.insert({Type::cluster, cluster});
      all.insert({Type::endpoints, cluster});
      // The Gateway's own certificate.
      find_named(found->second, named);
    }
    for (const std::string& secret : named.secrets) all.insert({Type::secret, secret});
  };
  for (const auto& [name, listener] : translation.listeners) {
    std::set<ResourceName>& all = needs[name];
    all.insert({Type::listener, name});
    add(all, listener);
  }
  for (const auto& [name, routes] : translation.routes) {
    std::set<ResourceName>& all = needs[name.substr(0, name.find('#'))];
    all.insert({Type::route, name});
    add(all, routes);
  }
  return needs;
}

}  // namespace fairway::gateway
