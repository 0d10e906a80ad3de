// SPDX-License-Identifier: Apache-2.0

// EndpointSlices: the addresses behind a Service.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "k8s/internal/kinds/openapi_discovery.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

/// An entry of `endpoints`. Conditions that are not set read as the API defines it: unknown means ready and
/// serving, and not terminating.
class Endpoint : public Checked<View, openapi::endpoint> {
 public:
  using Checked::Checked;
  std::vector<std::string_view> addresses() const { return texts("addresses"); }
  bool ready() const { return flag("conditions.ready", true); }
  /// Returns whether it serves: like `ready`, but also true while terminating.
  bool serving() const { return flag("conditions.serving", ready()); }
  bool terminating() const { return flag("conditions.terminating"); }
  std::string_view hostname() const { return text("hostname"); }
  std::string_view node_name() const { return text("nodeName"); }
  std::string_view zone() const { return text("zone"); }
  /// The object that has the addresses, usually a Pod; empty if absent.
  std::string_view target_kind() const { return text("targetRef.kind"); }
  std::string_view target_name() const { return text("targetRef.name"); }
  std::string_view target_namespace() const { return text("targetRef.namespace"); }
  std::string_view target_uid() const { return text("targetRef.uid"); }
};

/// An entry of `ports`.
class EndpointPort : public Checked<View, openapi::endpoint_port> {
 public:
  using Checked::Checked;
  /// Name of the Service's port; empty for a port without a name.
  std::string_view name() const { return text("name"); }
  std::string_view protocol() const { return text("protocol", "TCP"); }
  std::string_view app_protocol() const { return text("appProtocol"); }
  /// Returns the port; std::nullopt: all ports.
  std::optional<std::int64_t> port() const { return find_integer("port"); }
};

class EndpointSlice : public Checked<Dynamic, openapi::endpoint_slice> {
 public:
  static constexpr Resource resource{"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"};
  using Checked::Checked;

  /// The Service in the same namespace that it belongs to.
  std::string_view service_name() const { return label("kubernetes.io/service-name"); }
  /// "IPv4", "IPv6" or "FQDN".
  std::string_view address_type() const { return text("addressType"); }
  std::vector<Endpoint> endpoints() const { return items<Endpoint>("endpoints"); }
  std::vector<EndpointPort> ports() const { return items<EndpointPort>("ports"); }
};

}  // namespace fairway::k8s
