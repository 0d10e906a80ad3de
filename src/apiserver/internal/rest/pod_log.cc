// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <string>
#include <string_view>

#include "apiserver/internal/rest/pod_kubelet.h"
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
