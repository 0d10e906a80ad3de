// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/pod_kubelet.h"

#include <cstdint>
#include <vector>

#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::int64_t default_port = 10250;

std::vector<std::string> names(const k8s::Dynamic& pod, const std::string& list) {
  std::vector<std::string> found;
  for (const k8s::View& one : pod.items("spec." + list)) found.emplace_back(one.text("name"));
  return found;
}

}  // namespace

k8s::StatusResult<std::string> container_of(const k8s::Dynamic& pod, std::string_view asked) {
  const auto containers = names(pod, "containers"), first = names(pod, "initContainers"),
             later = names(pod, "ephemeralContainers");
  if (!asked.empty()) {
    for (const auto* list : {&containers, &first, &later}) {
      for (const std::string& name : *list) {
        if (name == asked) return name;
      }
    }
    return std::unexpected(k8s::answer::bad_request("container " + std::string(asked) +
                                                    " is not valid for pod " + std::string(pod.name())));
  }
  if (containers.size() == 1) return containers.front();
  if (const auto named = pod.annotation("kubectl.kubernetes.io/default-container"); !named.empty())
    return container_of(pod, named);
  std::string why = "a container name must be specified for pod " + std::string(pod.name()) +
                    ", choose one of: [" + join(containers, " ") + "]";
  if (!first.empty()) why += " or one of the init containers: [" + join(first, " ") + "]";
  return std::unexpected(k8s::answer::bad_request(why));
}

k8s::StatusResult<http::Url> kubelet_of(const k8s::Dynamic& node) {
  for (const std::string_view type : {"Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"}) {
    for (const k8s::View& one : node.items("status.addresses")) {
      if (one.text("type") != type || one.text("address").empty()) continue;
      http::Url url{.scheme = "https", .host = std::string(one.text("address"))};
      const std::int64_t port = node.integer("status.daemonEndpoints.kubeletEndpoint.Port");
      url.port = static_cast<std::uint16_t>(port > 0 && port <= 65535 ? port : default_port);
      return url;
    }
  }
  // An error without a reason, as kube-apiserver's is.
  return std::unexpected(
      k8s::Status::of({.message = "no preferred addresses found; known addresses: []", .code = 500}));
}

}  // namespace fairway::apiserver::rest
