#include "gateway/internal/discovery_resources.h"

#include <string_view>
#include <utility>

namespace fairway::gateway {

namespace {

using xds::ResourceName;
using xds::Type;

/// The names of clusters in a RouteConfiguration, wherever they are.
void find_clusters(const json::Value& value, std::set<std::string>& clusters) {
  if (value.is_array()) {
    for (const json::Value& one : value.get_array()) find_clusters(one, clusters);
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.get_object()) {
    if (key == "cluster" && member.is_string()) {
      clusters.emplace(member.get_string());
    } else if (key == "clusters" && member.is_array()) {
      for (const json::Value& one : member.get_array()) {
        if (const auto name = json::find_string(one, "name")) clusters.emplace(*name);
      }
    }
    find_clusters(member, clusters);
  }
}

}  // namespace

xds::Resources discovery_resources(const Translation& translation) {
  xds::Resources resources;
  for (const auto& [name, cluster] : translation.clusters) {
    json::Object by_discovery = cluster;
    json::Object endpoints = cluster.at("load_assignment").get_object();
    by_discovery.erase("load_assignment");
    by_discovery["type"] = "EDS";
    by_discovery["eds_cluster_config"] =
        json::Object{{"eds_config", json::Object{{"ads", json::Object{}}, {"resource_api_version", "V3"}}}};
    resources.emplace(ResourceName{Type::cluster, name}, std::move(by_discovery));
    resources.emplace(ResourceName{Type::endpoints, name}, std::move(endpoints));
  }
  for (const auto& [name, listener] : translation.listeners)
    resources.emplace(ResourceName{Type::listener, name}, listener);
  for (const auto& [name, routes] : translation.routes)
    resources.emplace(ResourceName{Type::route, name}, routes);
  return resources;
}

std::map<std::string, std::set<ResourceName>> needs_of_listeners(const Translation& translation) {
  std::map<std::string, std::set<ResourceName>> needs;
  for (const auto& [name, listener] : translation.listeners) needs[name].insert({Type::listener, name});
  for (const auto& [name, routes] : translation.routes) {
    std::set<ResourceName>& all = needs[name];
    all.insert({Type::route, name});
    std::set<std::string> clusters;
    find_clusters(routes, clusters);
    for (const std::string& cluster : clusters) {
      if (!translation.clusters.contains(cluster)) continue;
      all.insert({Type::cluster, cluster});
      all.insert({Type::endpoints, cluster});
    }
  }
  return needs;
}

}  // namespace fairway::gateway
