// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/health.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/log.h"
#include "base/percent_encoding.h"
#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::array<std::string_view, 3> endpoints{"livez", "readyz", "healthz"};

/// The checks of what kube-apiserver 1.37 does after its start, in its order. Here all of that has been done
/// before a request is answered; the names are for those who look for them.
constexpr std::array<std::string_view, 30> hooks{
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/peer-endpoint-reconciler-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/storage-readiness",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller"};

std::vector<std::string_view> checks_of(std::string_view endpoint) {
  const bool is_readiness = endpoint == "readyz";
  std::vector<std::string_view> checks{"ping", "log"};
  if (!is_readiness) checks.emplace_back("loopback-serving-certificate");
  checks.emplace_back("etcd");
  if (is_readiness) checks.insert(checks.end(), {"etcd-readiness", "informer-sync"});
  checks.insert(checks.end(), hooks.begin(), hooks.end());
  if (is_readiness) checks.emplace_back("shutdown");
  return checks;
}

/// Returns the values of `exclude`.
std::set<std::string, std::less<>> excluded(std::string_view query) {
  std::set<std::string, std::less<>> names;
  for (auto& [name, value] : parse_query(query))
    if (name == "exclude") names.insert(std::move(value));
  return names;
}

/// Returns whether a check is that of the storage.
bool is_of_storage(std::string_view check) {
  return check == "etcd" || check == "etcd-readiness" || check == "poststarthook/storage-readiness";
}

/// Returns the warning of names that no check has; empty if there are none.
std::string warning_of(const std::set<std::string, std::less<>>& excluded,
                       const std::vector<std::string_view>& checks) {
  std::string names;
  for (const std::string& name : excluded) {
    if (std::ranges::find(checks, name) != checks.end()) continue;
    names += (names.empty() ? "" : ",") + quote(name);
  }
  if (names.empty()) return "";
  return "warn: some health checks cannot be excluded: no matches for " + names + "\n";
}

http::Response answer_all(std::string_view endpoint, const std::vector<std::string_view>& checks,
                          std::string_view query, const Result<void>& storage) {
  const std::set<std::string, std::less<>> without = excluded(query);
  std::string text;
  bool failed = false;
  for (const std::string_view check : checks) {
    const bool fails = is_of_storage(check) && endpoint == "readyz" && !storage;
    if (without.contains(check)) {
      text += "[+]" + std::string(check) + " excluded: ok\n";
    } else if (fails) {
      failed = true;
      text += "[-]" + std::string(check) + " failed: " + printable(storage.error().message) + "\n";
    } else {
      text += "[+]" + std::string(check) + " ok\n";
    }
  }
  text += warning_of(without, checks);
  if (failed) return http::Response::text(500, text + std::string(endpoint) + " check failed\n");
  if (query.find("verbose") == std::string_view::npos) return http::Response::text(200, "ok");
  return http::Response::text(200, text + std::string(endpoint) + " check passed\n");
}

}  // namespace

std::optional<http::Response> answer_health(const http::Request& request, const Result<void>& storage) {
  std::string_view path = request.path;
  if (!path.starts_with('/')) return std::nullopt;
  path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  const std::string_view endpoint = path.substr(0, slash);
  if (std::ranges::find(endpoints, endpoint) == endpoints.end()) return std::nullopt;
  const std::vector<std::string_view> checks = checks_of(endpoint);
  if (slash == std::string_view::npos) return answer_all(endpoint, checks, request.query, storage);
  const std::string_view name = path.substr(slash + 1);
  if (std::ranges::find(checks, name) == checks.end())
    return http::Response::text(404, "404 page not found\n");
  if (!is_of_storage(name) || storage) return http::Response::text(200, "ok");
  return http::Response::text(500, "internal server error: " + printable(storage.error().message) + "\n");
}

std::string index_text(const resources::ResourceRegistry& registry) {
  std::set<std::string> paths{"/.well-known/openid-configuration",
                              "/api",
                              "/apis",
                              "/metrics",
                              "/openapi/v2",
                              "/openapi/v3",
                              "/openid/v1/jwks",
                              "/version"};
  for (const std::string_view endpoint : endpoints) {
    const std::string at = "/" + std::string(endpoint);
    paths.insert(at);
    for (const std::string_view check : checks_of(endpoint)) paths.insert(at + "/" + std::string(check));
  }
  for (const resources::ServedResourcePtr& resource : registry.all()) {
    const k8s::GroupVersionKind& kind = resource->kind;
    if (!kind.group.empty()) paths.insert("/apis/" + kind.group);
    paths.insert((kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/") + kind.version);
  }
  return json::to_text(json::Object{{"paths", json::Array(paths.begin(), paths.end())}});
}

}  // namespace fairway::apiserver::rest
