// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/webhooks/service_address.h"

#include <optional>

#include "apiserver/internal/objects/object_text.h"
#include "k8s/view.h"

namespace fairway::apiserver::webhooks {

namespace {

/// Returns the port with this name (there is only one without a name); std::nullopt if there is none.
std::optional<std::uint16_t> port_named(const k8s::View& ports_of, std::string_view name) {
  for (const k8s::View& port : ports_of.items("ports")) {
    if (port.text("name") != name) continue;
    const std::int64_t number = port.integer("port");
    if (number > 0 && number <= UINT16_MAX) return static_cast<std::uint16_t>(number);
  }
  return std::nullopt;
}

std::optional<ServiceAddress> find_endpoint(const k8s::Dynamic& endpoints, std::string_view port_name) {
  for (const k8s::View& subset : endpoints.items("subsets")) {
    const auto port = port_named(subset, port_name);
    const auto addresses = subset.items("addresses");
    if (port && !addresses.empty()) return ServiceAddress{std::string(addresses.front().text("ip")), *port};
  }
  return std::nullopt;
}

std::optional<ServiceAddress> find_in_slice(const k8s::Dynamic& slice, std::string_view port_name) {
  const auto port = port_named(slice, port_name);
  if (!port) return std::nullopt;
  for (const k8s::View& endpoint : slice.items("endpoints")) {
    const auto addresses = endpoint.texts("addresses");
    // Not known counts as ready.
    if (!addresses.empty() && endpoint.flag("conditions.ready", true)) {
      return ServiceAddress{std::string(addresses.front()), *port};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<ServiceAddress> find_service(storage::Storage& storage, std::string_view namespace_name,
                                    std::string_view name, std::uint16_t port) {
  const auto read = [&](const char* resource) -> Result<std::optional<k8s::Dynamic>> {
    auto found = storage.get({resource, std::string(namespace_name), std::string(name)});
    if (!found) return fail(found.error().error);
    if (*found == nullptr) return std::nullopt;
    return resources::parse(**found);
  };
  const auto service = read("services");
  if (!service) return fail(service.error());
  const std::string quoted = "\"" + std::string(name) + "\"";
  if (!*service) return fail(ErrorCode::not_found, "service " + quoted + " not found");
  if ((*service)->text("spec.type") == "ExternalName") {
    return ServiceAddress{std::string((*service)->text("spec.externalName")), port};
  }
  std::optional<std::string> port_name;
  for (const k8s::View& own : (*service)->items("spec.ports")) {
    if (own.integer("port") == port) port_name = own.text("name");
  }
  if (!port_name) {
    return fail(ErrorCode::not_found,
                "no service port " + std::to_string(port) + " found for service " + quoted);
  }
  const auto endpoints = read("endpoints");
  if (!endpoints) return fail(endpoints.error());
  if (*endpoints) {
    if (auto address = find_endpoint(**endpoints, *port_name)) return *address;
  }
  auto slices = storage.list(
      {.resource = "discovery.k8s.io/endpointslices", .namespace_name = std::string(namespace_name)});
  if (!slices) return fail(slices.error().error);
  for (const storage::RecordPtr& record : slices->records) {
    const k8s::Dynamic slice = resources::parse(*record);
    if (slice.labels().find("kubernetes.io/service-name") != name) continue;
    if (auto address = find_in_slice(slice, *port_name)) return *address;
  }
  const std::string_view own = (*service)->text("spec.clusterIP");
  if (own.empty() || own == "None") {
    return fail(ErrorCode::not_found, "no endpoints available for service " + quoted);
  }
  return ServiceAddress{std::string(own), port};
}

}  // namespace fairway::apiserver::webhooks
