// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/server/kubernetes_service.h"
#include "base/ipv4.h"

#include <cstdint>
#include <string>

namespace fairway::apiserver::server {
namespace {

constexpr int https_port = 443;

/// Returns the Service, which has the first address of all.
k8s::Dynamic service(std::uint16_t port, const std::string& address) {
  k8s::Dynamic made;
  made.set("kind", "Service");
  made.set("apiVersion", "v1");
  made.set_name("kubernetes");
  made.set_namespace_name("default");
  made.set_label("component", "apiserver");
  made.set_label("provider", "kubernetes");
  made.set("spec", json::Value{{"ports", json::Array{json::Object{{"name", "https"},
                                                                  {"protocol", "TCP"},
                                                                  {"port", https_port},
                                                                  {"targetPort", std::int64_t{port}}}}},
                               {"clusterIP", address},
                               {"clusterIPs", json::Array{address}},
                               {"type", "ClusterIP"},
                               {"sessionAffinity", "None"},
                               {"ipFamilies", json::Array{"IPv4"}},
                               {"ipFamilyPolicy", "SingleStack"},
                               {"internalTrafficPolicy", "Cluster"}});
  made.set("status", json::Value{{"loadBalancer", json::Object{}}});
  return made;
}

}  // namespace

Result<void> publish_kubernetes_service(objects::Objects& objects, std::uint16_t port) {
  const resources::ServedResourcePtr services = objects.registry().find({"", "v1", "services"});
  const k8s::Dynamic wanted = service(port, ipv4_text(objects.service_network().first()));
  const objects::WriteContext context{
      .user = {.name = "system:apiserver", .groups = {std::string(access::masters_group)}},
      .room = storage::Room::server};
  const objects::Objects::UpdateRequest request{
      .key = wanted.key(), .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        changed.set("spec.ports", json::Value(*wanted.find("spec.ports")));
        return changed;
      }};
  // First, as what is there has the address.
  auto done = objects.update(*services, request, context);
  if (!done && done.error().is_failure(k8s::reason::not_found)) {
    done = objects.create(*services, wanted, context);
  }
  if (done) return {};
  return fail(done.error().to_error().within("publishing the Service default/kubernetes"));
}

}  // namespace fairway::apiserver::server
