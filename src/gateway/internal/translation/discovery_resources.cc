// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/discovery_resources.h"

#include <string_view>
#include <utility>

#include "gateway/internal/translation/shards.h"

namespace fairway::gateway {

namespace {

using xds::ResourceName;
using xds::Type;

using Named = ResourceCache::Named;

void find_named(const json::Value& value, Named& named);

/// Finds the names at any depth.
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

/// Makes the resources of a translation.
class Making {
 public:
  Making(const std::set<std::string>& asked_for, ResourceCache& cached)
      : asked_for_(asked_for), cache_(cached) {
    for (const std::string& name : asked_for) {
      if (const std::string_view table = table_of(name); table != name) asked_in_shards_.emplace(table);
    }
  }

  void add_cluster(const std::string& name, json::Object cluster) {
    // EDS has addresses only, no names.
    if (cluster.at("type") == "STRICT_DNS") {
      add({Type::cluster, name}, std::move(cluster));
      return;
    }
    json::Object endpoints = std::move(cluster.at("load_assignment").get_object());
    cluster.erase("load_assignment");
    cluster["type"] = "EDS";
    cluster["eds_cluster_config"] =
        json::Object{{"eds_config", json::Object{{"ads", json::Object{}}, {"resource_api_version", "V3"}}}};
    add({Type::cluster, name}, std::move(cluster));
    add({Type::endpoints, name}, std::move(endpoints));
  }
  /// Adds a RouteConfiguration. All clusters must have been added before.
  void add_routes(const std::string& name, const xds::Resource& table, json::Object* listener) {
    const std::string of = listener_of(name);
    if (!is_sharded(table)) {
      need(of, add({Type::route, name}, table));
      if (!asked_in_shards_.contains(name)) return;
      for (auto& [shard, made] : shards_of(name, table)) add_left_over(shard, std::move(made));
      return;
    }
    if (listener != nullptr) use_shards(*listener, name);
    for (auto& [scope, made] : scopes_of(name)) need(of, add({Type::scope, scope}, std::move(made)));
    for (auto& [shard, made] : shards_of(name, table)) need(of, add({Type::route, shard}, std::move(made)));
    add_left_over(name, table);
  }
  void add_listener(const std::string& name, json::Object listener) {
    need(name, add({Type::listener, name}, std::move(listener)));
  }
  void add_secret(const std::string& name, json::Object secret) {
    add({Type::secret, name}, std::move(secret));
  }

  static std::string listener_of(const std::string& routes) { return routes.substr(0, routes.find('#')); }
  DiscoveryResources made() {
    cache_.forget_others();
    return std::move(made_);
  }

 private:
  const ResourceName& add(ResourceName name, xds::Resource made) {
    xds::Resource same = cache_.same(name, std::move(made));
    return made_.resources.emplace(std::move(name), std::move(same)).first->first;
  }
  void add_left_over(const std::string& name, xds::Resource made) {
    if (!asked_for_.contains(name)) return;
    made_.resources.at(add({Type::route, name}, std::move(made))).is_left_over = true;
  }
  /// Adds a resource, and the resources that it refers to, to the needs of a listener.
  void need(const std::string& listener, const ResourceName& name) {
    std::set<ResourceName>& all = made_.needs[listener];
    all.insert(name);
    const Named& named = cache_.named(name);
    for (const std::string& secret : named.secrets) all.insert({Type::secret, secret});
    for (const std::string& cluster : named.clusters) {
      ResourceName full{Type::cluster, cluster};
      if (!made_.resources.contains(full)) continue;
      // The Gateway's own certificate.
      for (const std::string& secret : cache_.named(full).secrets) all.insert({Type::secret, secret});
      all.insert(std::move(full));
      if (ResourceName endpoints{Type::endpoints, cluster}; made_.resources.contains(endpoints))
        all.insert(std::move(endpoints));
    }
  }

  const std::set<std::string>& asked_for_;
  ResourceCache& cache_;
  std::set<std::string> asked_in_shards_;
  DiscoveryResources made_;
};

}  // namespace

xds::Resource ResourceCache::same(const ResourceName& name, xds::Resource made) {
  Cached& cached = cache_[name];
  cached.is_used = true;
  if (!cached.resource.is(made) &&
      (cached.resource.hosts() != made.hosts() || cached.resource.rest() != made.rest())) {
    cached.resource = std::move(made);
    cached.named.reset();
  }
  return cached.resource;
}

const Named& ResourceCache::named(const ResourceName& name) {
  Cached& cached = cache_.at(name);
  if (!cached.named) {
    cached.named.emplace();
    find_named(cached.resource.rest(), *cached.named);
    for (const xds::VirtualHost& host : cached.resource.hosts()) find_named(*host, *cached.named);
  }
  return *cached.named;
}

void ResourceCache::forget_others() {
  std::erase_if(cache_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [name, cached] : cache_) cached.is_used = false;
}

DiscoveryResources discovery_resources(Translation translation, const std::set<std::string>& asked_for,
                                       ResourceCache& cached) {
  Making making(asked_for, cached);
  for (auto& [name, cluster] : translation.clusters) making.add_cluster(name, std::move(cluster));
  for (auto& [name, secret] : translation.secrets) making.add_secret(name, std::move(secret));
  for (const auto& [name, table] : translation.routes) {
    const auto listener = translation.listeners.find(Making::listener_of(name));
    making.add_routes(name, table, listener != translation.listeners.end() ? &listener->second : nullptr);
  }
  for (auto& [name, listener] : translation.listeners) making.add_listener(name, std::move(listener));
  return making.made();
}

}  // namespace fairway::gateway
