// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/rest/pod_requests.h"
#include "apiserver/internal/rest/read_core_object.h"
#include "base/text.h"
#include "http/client.h"
#include "http/flow.h"
#include "http/url.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::chrono::seconds longest_call{30};
/// Largest log: more than a container's log usually has before it is rotated.
constexpr std::size_t largest_log = std::size_t{16} << 20;
constexpr std::int64_t default_port = 10250;

std::vector<std::string> names(const k8s::Dynamic& pod, const std::string& list) {
  std::vector<std::string> found;
  for (const k8s::View& one : pod.items("spec." + list)) found.emplace_back(one.text("name"));
  return found;
}

/// Returns the container that the request names, or the only one.
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

/// Returns the URL of a Node's kubelet, in kube-apiserver's order of preferred addresses.
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
  return std::unexpected(k8s::answer::internal_error("no preferred addresses found; known addresses: []"));
}

/// Returns the kubelet's reply.
k8s::StatusResult<http::Response> ask(const http::Url& url, const http::Request& request) {
  // As kube-apiserver, which checks a kubelet's certificate only where it is given a CA for it.
  const auto client =
      http::Client::create({.system_cas = false, .insecure_skip_verify = true, .proxy_environment = false});
  if (!client) return std::unexpected(k8s::answer::internal_error(client.error().message));
  http::Call call;
  call.url = url;
  call.limits =
      Limits{.deadline = request.deadline, .stop = request.cancelled}.at_most(Clock::system(), longest_call);
  call.max_body_bytes = largest_log;
  const http::OutsideWait wait;
  auto reply = (*client)->send(call);
  if (!reply && reply.error().code == ErrorCode::too_large) {
    return std::unexpected(
        k8s::answer::internal_error("the log is larger than 16 MiB: ask for less of it, with "
                                    "limitBytes, tailLines or sinceSeconds"));
  }
  if (!reply) return std::unexpected(k8s::answer::internal_error(reply.error().message));
  if (reply->status == 200) return http::Response::text(200, std::move(reply->body), "text/plain");
  return std::unexpected(k8s::Status::of({.message = std::string(trim(reply->body)),
                                          .reason = std::string(k8s::reason_of(reply->status)),
                                          .code = reply->status}));
}

}  // namespace

VerbResult pod_log(const Services& services, Call& call) {
  const auto pod = read_core_object(services.objects, "pods", call.key());
  if (!pod) return std::unexpected(pod.error());
  const auto container = container_of(*pod, call.query.find("container").value_or(""));
  if (!container) return std::unexpected(container.error());
  if (call.query.find("follow").value_or("false") != "false") {
    return std::unexpected(
        k8s::answer::bad_request("this server does not follow logs: ask without follow, and again"));
  }
  // Nothing has been written yet.
  const std::string node_name(pod->text("spec.nodeName"));
  if (node_name.empty()) return http::Response::text(200, "", "text/plain");
  const auto node = read_core_object(services.objects, "nodes", {"", node_name});
  if (!node) return std::unexpected(node.error());
  auto url = kubelet_of(*node);
  if (!url) return std::unexpected(url.error());
  url->path = "/containerLogs/" + http::percent_encode(call.path.namespace_name) + "/" +
              http::percent_encode(call.path.name) + "/" + http::percent_encode(*container);
  k8s::Query options;
  for (const char* name :
       {"previous", "sinceSeconds", "sinceTime", "tailLines", "limitBytes", "timestamps"}) {
    options.add_if_set(name, call.query.find(name).value_or(""));
  }
  url->query = options.to_string();
  const auto place = services.objects.waits().enter("the kubelet of " + node_name);
  if (!place) return std::unexpected(place.error());
  return ask(*url, call.http);
}

}  // namespace fairway::apiserver::rest
