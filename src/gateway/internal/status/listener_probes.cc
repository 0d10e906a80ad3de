// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/listener_probes.h"

#include <string>
#include <string_view>
#include <utility>

#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/translation/envoy_names.h"
#include "k8s/core.h"

namespace fairway::gateway {

using xds::Type;

namespace {

/// Returns the hash of its configuration that an HTTP listener has in its metadata.
std::string own_configuration(const json::Object& listener) {
  return std::string(k8s::View(listener).text("metadata.filter_metadata.fairway.configuration"));
}

/// Returns a server name that the listener's filter chain matches.
std::string server_name_of(const Listener& listener) {
  if (listener.hostname.empty()) return std::string(probe_host);
  if (!listener.hostname.starts_with("*.")) return listener.hostname;
  return "fairway-ready" + listener.hostname.substr(1);
}

std::vector<std::string> certificates_of(const Objects& objects, const Listener& listener) {
  std::vector<std::string> certificates;
  for (const ObjectRef& ref : listener.spec.certificates()) {
    const k8s::Dynamic* found =
        objects.find("", "Secret", ref.namespace_name(listener.owner->namespace_name()), ref.name());
    if (found == nullptr) continue;
    certificates.push_back(k8s::Secret(found->json()).data("tls.crt").value_or(""));
  }
  return certificates;
}

}  // namespace

std::vector<Probe> probes_of(const Objects& objects, const GatewayState& gateway, const Listener& listener,
                             const Served& served, std::uint64_t session) {
  std::vector<Probe> probes;
  const std::string_view protocol = listener.spec.protocol();
  for (const std::string& address : addresses_of(gateway)) {
    const std::string name = listener_name(address, gateway, listener);
    const auto found = served.configurations.find(name);
    if (found == served.configurations.end()) continue;
    Probe probe{.address = address,
                .port = static_cast<std::uint16_t>(listener.spec.port()),
                .configuration = found->second,
                .session = session};
    if (protocol == "HTTP") {
      probe.kind = Probe::Kind::http;
      probe.configuration = own_configuration(served.resources.at({Type::listener, name}).rest());
    } else if (protocol == "HTTPS") {
      probe.kind = Probe::Kind::tls;
      probe.server_name = server_name_of(listener);
      probe.certificates = certificates_of(objects, listener);
    } else if (protocol == "UDP") {
      probe.kind = Probe::Kind::socket;
    }
    probes.push_back(std::move(probe));
  }
  return probes;
}

}  // namespace fairway::gateway
