// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "apiserver/internal/rest/pod_kubelet.h"
#include "apiserver/internal/rest/pod_requests.h"
#include "apiserver/internal/rest/read_core_object.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

VerbResult pod_stream(const Services& services, Call& call) {
  // A GET does what a POST does: who may only read must not.
  if (const auto may = authorize_create(services, call); !may) return std::unexpected(may.error());
  const auto pod = read_core_object(services.objects, "pods", call.key());
  if (!pod) return std::unexpected(pod.error());
  if (call.path.subresource != "portforward") {
    const auto container = container_of(*pod, call.query.find("container").value_or(""));
    if (!container) return std::unexpected(container.error());
  }
  const std::string node_name(pod->text("spec.nodeName"));
  if (node_name.empty()) {
    return std::unexpected(
        k8s::answer::bad_request("pod " + call.path.name + " does not have a host assigned"));
  }
  const auto node = read_core_object(services.objects, "nodes", {"", node_name});
  if (!node) return std::unexpected(node.error());
  if (const auto url = kubelet_of(*node); !url) return std::unexpected(url.error());
  return std::unexpected(
      k8s::answer::bad_request("this server does not pass streams on to kubelets: exec, attach and "
                               "port-forward need a kube-apiserver"));
}

}  // namespace fairway::apiserver::rest
