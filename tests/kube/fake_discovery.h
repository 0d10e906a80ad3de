// SPDX-License-Identifier: Apache-2.0

// A fake of an API server's discovery, in every form and with its faults.
#pragma once

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/server.h"
#include "k8s/api_resource.h"
#include "k8s/wire/discovery.h"

namespace fairway::kube::testing {

/// Answers requests to /api and /apis; for `MemoryApi::respond`.
class FakeDiscovery {
 public:
  enum class Form { aggregated, aggregated_beta, plain };
  /// Returns the reply of a fault; std::nullopt: the request is answered as usual.
  using Fault = std::function<std::optional<http::Response>(const http::Request& request)>;

  void serve(const k8s::ApiResource& kind, std::vector<std::string> short_names = {}) {
    const std::lock_guard lock(mutex_);
    version_of(kind.kind.group_version())
        .resources.push_back({.name = kind.plural,
                              .response_kind = kind.kind,
                              .scope = kind.scope,
                              .singular = to_lower(kind.kind.kind),
                              .verbs = {"create", "delete", "get", "list", "patch", "update", "watch"},
                              .short_names = std::move(short_names)});
  }
  void serve_no_longer(const k8s::ApiResource& kind) {
    const std::lock_guard lock(mutex_);
    std::erase_if(version_of(kind.kind.group_version()).resources,
                  [&](const auto& one) { return one.name == kind.plural; });
  }
  void set_discovery(k8s::Discovery discovery) {
    const std::lock_guard lock(mutex_);
    discovery_ = std::move(discovery);
  }
  k8s::Discovery discovery() const {
    const std::lock_guard lock(mutex_);
    return discovery_;
  }
  void set_form(Form form) {
    const std::lock_guard lock(mutex_);
    form_ = form;
  }
  void set_stale(const k8s::GroupVersion& of, bool stale) {
    const std::lock_guard lock(mutex_);
    version_of(of).stale = stale;
  }
  /// Sets the fault of a path; nullptr removes it.
  void set_fault(const std::string& path, Fault fault) {
    const std::lock_guard lock(mutex_);
    faults_[path] = std::move(fault);
  }
  /// Returns the number of requests for a path.
  int asked(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::ranges::count(requests_, path));
  }

  std::optional<http::Response> answer(const http::Request& request) {
    Fault fault;
    const std::string path(request.path);
    {
      const std::lock_guard lock(mutex_);
      if (path == "/api" || path == "/apis" || is_version(path)) requests_.push_back(path);
      fault = faults_[path];
    }
    if (fault) {
      if (auto response = fault(request)) return response;
    }
    const std::lock_guard lock(mutex_);
    if (path == "/api" || path == "/apis") return root(request, path == "/api");
    if (!is_version(path)) return std::nullopt;
    for (const k8s::DiscoveredGroup& group : discovery_.groups) {
      for (const k8s::DiscoveredVersion& version : group.versions) {
        const k8s::GroupVersionResource of{group.name, version.version, ""};
        if (of.root_path() == path)
          return http::Response::json(200, k8s::write_resource_list(of.group_version(), version));
      }
    }
    return http::Response::text(404, "404 page not found");
  }

  static http::Response cut(const std::string& body) {
    http::Response response = http::Response::json(200, "");
    response.body = nullptr;
    response.stream = http::Stream::make();
    response.stream->try_push(http::make_bytes(body));
    response.stream->close(true);
    return response;
  }
  static bool asks_for_aggregated(const http::Request& request) {
    return request.headers_joined("Accept").find("as=APIGroupDiscoveryList") != std::string::npos;
  }

 private:
  static std::string to_lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  }
  static bool is_version(const std::string& path) {
    const auto slashes = std::ranges::count(path, '/');
    return path.starts_with("/apis/") ? slashes == 3 : path.starts_with("/api/") && slashes == 2;
  }
  k8s::DiscoveredVersion& version_of(const k8s::GroupVersion& of) {
    auto group = std::ranges::find(discovery_.groups, of.group, &k8s::DiscoveredGroup::name);
    if (group == discovery_.groups.end()) group = discovery_.groups.insert(group, {.name = of.group});
    auto& versions = group->versions;
    auto version = std::ranges::find(versions, of.version, &k8s::DiscoveredVersion::version);
    if (version == versions.end()) version = versions.insert(version, {.version = of.version});
    return *version;
  }
  http::Response root(const http::Request& request, bool core) const {
    k8s::Discovery part;
    for (const k8s::DiscoveredGroup& group : discovery_.groups) {
      if (group.name.empty() == core) part.groups.push_back(group);
    }
    if (form_ == Form::plain || !asks_for_aggregated(request)) {
      if (!core) return http::Response::json(200, k8s::write_group_list(part));
      return http::Response::json(
          200, k8s::write_api_versions(part.groups.empty() ? k8s::DiscoveredGroup{} : part.groups[0]));
    }
    const bool beta = form_ == Form::aggregated_beta;
    return http::Response::text(
        200, k8s::write_aggregated(part, beta ? k8s::AggregatedVersion::v2beta1 : k8s::AggregatedVersion::v2),
        std::string("application/json;g=apidiscovery.k8s.io;v=") + (beta ? "v2beta1" : "v2") +
            ";as=APIGroupDiscoveryList");
  }

  mutable std::mutex mutex_;
  k8s::Discovery discovery_;
  Form form_ = Form::aggregated;
  std::map<std::string, Fault> faults_;
  std::vector<std::string> requests_;
};

}  // namespace fairway::kube::testing
