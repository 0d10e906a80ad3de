// SPDX-License-Identifier: Apache-2.0

// Views of the kinds of Gateway API (v1.7.0), as far as they are used. The versions of one kind share them:
// what they differ in is not read here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/object.h"
#include "k8s/view.h"

namespace fairway::gateway {

/// The name by which GatewayClasses choose this controller.
inline constexpr std::string_view controller_name = "fairway.dev/gateway";
inline constexpr std::string_view gateway_group = "gateway.networking.k8s.io";
/// CA certificates for a whole cluster: they have no namespace, and no ReferenceGrant permits them.
inline constexpr std::string_view trust_bundle_group = "certificates.k8s.io";
inline constexpr std::string_view trust_bundle_kind = "ClusterTrustBundle";

/// `parentRefs`, and the `parentRef` of an entry of a status.
class ParentRef : public k8s::View {
 public:
  using View::View;
  std::string_view group() const { return text("group", gateway_group); }
  std::string_view kind() const { return text("kind", "Gateway"); }
  std::string_view namespace_name(std::string_view of_route) const { return text("namespace", of_route); }
  std::string_view name() const { return text("name"); }
  std::string_view section() const { return text("sectionName"); }
  std::optional<std::int64_t> port() const { return find_integer("port"); }
};

/// A reference to an object: `backendRefs`, `certificateRefs`, `caCertificateRefs`.
class ObjectRef : public k8s::View {
 public:
  using View::View;
  std::string_view group() const { return text("group"); }
  std::string_view kind(std::string_view otherwise) const { return text("kind", otherwise); }
  std::string_view namespace_name(std::string_view local) const { return text("namespace", local); }
  std::string_view name() const { return text("name"); }
  std::optional<std::int64_t> port() const { return find_integer("port"); }
};

/// A listener of a Gateway, or an entry of a ListenerSet.
class ListenerSpec : public k8s::View {
 public:
  using View::View;
  std::string_view name() const { return text("name"); }
  std::string_view hostname() const { return text("hostname"); }
  std::int64_t port() const { return integer("port"); }
  std::string_view protocol() const { return text("protocol"); }
  bool has_tls() const { return has("tls"); }
  std::string_view tls_mode() const { return text("tls.mode", "Terminate"); }
  std::vector<ObjectRef> certificates() const { return items<ObjectRef>("tls.certificateRefs"); }
};

/// The kinds of routes, in the order in which a listener that takes several names them.
enum class RouteKind { http, grpc, tls, tcp, udp };

inline constexpr RouteKind route_kinds[] = {RouteKind::http, RouteKind::grpc, RouteKind::tls, RouteKind::tcp,
                                            RouteKind::udp};

/// Returns the name of a kind: "HTTPRoute", ...
constexpr std::string_view to_string(RouteKind kind) {
  switch (kind) {
    case RouteKind::http:
      return "HTTPRoute";
    case RouteKind::grpc:
      return "GRPCRoute";
    case RouteKind::tls:
      return "TLSRoute";
    case RouteKind::tcp:
      return "TCPRoute";
    case RouteKind::udp:
      return "UDPRoute";
  }
  return "";
}

constexpr bool is_http(RouteKind kind) {
  return kind == RouteKind::http || kind == RouteKind::grpc;
}

}  // namespace fairway::gateway
