// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/listeners.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "gateway/internal/objects/hostname.h"
#include "gateway/internal/objects/hostname_index.h"
#include "gateway/internal/objects/references.h"
#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

namespace {

using k8s::View;

struct Protocol {
  std::string_view name;
  std::vector<RouteKind> kinds;
  bool has_tls, has_hostname;
};

const Protocol* find_protocol(std::string_view name) {
  static const std::vector<Protocol> protocols = {
      {"HTTP", {RouteKind::http, RouteKind::grpc}, false, true},
      {"HTTPS", {RouteKind::http, RouteKind::grpc}, true, true},
      {"TLS", {RouteKind::tls}, true, true},
      {"TCP", {RouteKind::tcp}, false, false},
      {"UDP", {RouteKind::udp}, false, false},
  };
  const auto found = std::ranges::find(protocols, name, &Protocol::name);
  return found != protocols.end() ? &*found : nullptr;
}

bool has_filters(const ListenerSpec& spec) {
  return !spec.items("filters.requests").empty();
}

std::optional<ConditionError> spec_problem(const ListenerSpec& spec, const Protocol* protocol) {
  if (protocol == nullptr) {
    return ConditionError{"UnsupportedProtocol",
                          "the protocol \"" + printable(spec.protocol()) +
                              "\" is not supported; there are HTTP, HTTPS, TLS, TCP and UDP"};
  }
  if (spec.port() < 1 || spec.port() > 65535)
    return ConditionError{"PortUnavailable", std::to_string(spec.port()) + " is no port"};
  if (protocol->has_hostname && !spec.hostname().empty() && !is_hostname(spec.hostname(), true))
    return ConditionError{"UnsupportedValue", "\"" + printable(spec.hostname()) + "\" is no hostname"};
  if (!protocol->has_tls && spec.has_tls())
    return ConditionError{"UnsupportedValue", "the protocol " + std::string(protocol->name) + " has no tls"};
  const std::string_view mode = spec.tls_mode();
  if (protocol->has_tls && mode != "Terminate" && (mode != "Passthrough" || protocol->name == "HTTPS"))
    return ConditionError{"UnsupportedValue", "the TLS mode \"" + printable(mode) +
                                                  "\" is not supported with " + std::string(protocol->name)};
  const std::string options = option_names(spec.at("tls.options"));
  if (!options.empty())
    return ConditionError{"UnsupportedValue",
                          "tls.options: " + options + " is not known; there are no options"};
  if (has_filters(spec))
    return ConditionError{"UnsupportedValue",
                          "filters of listeners are not supported; until they are removed, nothing is served "
                          "for its hostname, not on other listeners either"};
  return std::nullopt;
}

/// Narrows the listener's kinds to those of allowedRoutes, in their order there. Returns the problem with
/// them, if any.
std::optional<ConditionError> narrow_kinds(Listener& listener) {
  if (!listener.spec.has("allowedRoutes.kinds")) return std::nullopt;
  const auto allowed = listener.spec.items("allowedRoutes.kinds");
  if (allowed.empty()) return std::nullopt;
  std::vector<RouteKind> kinds;
  std::vector<std::string> unknown;
  for (const View& one : allowed) {
    const auto found = std::ranges::find_if(
        listener.kinds, [&](RouteKind kind) { return to_string(kind) == one.text("kind"); });
    if (found == listener.kinds.end() || one.text("group", gateway_group) != gateway_group) {
      unknown.push_back(printable(one.text("kind")));
    } else if (std::ranges::find(kinds, *found) == kinds.end()) {
      kinds.push_back(*found);
    }
  }
  listener.kinds = std::move(kinds);
  if (unknown.empty()) return std::nullopt;
  return ConditionError{"InvalidRouteKinds", "the protocol " + printable(listener.spec.protocol()) +
                                                 " has no routes of the kind " + join(unknown, ", ")};
}

/// Reads the certificates that the listener shows to clients. Returns the problem with them, if any.
std::optional<ConditionError> certificates_problem(const Objects& objects, Listener& listener, WallTime now) {
  const auto refs = listener.spec.certificates();
  if (refs.empty())
    return ConditionError{"InvalidCertificateRef", "it terminates TLS and has no certificateRefs"};
  std::optional<ConditionError> first;
  for (const ObjectRef& ref : refs) {
    Certificate certificate;
    auto problem = resolve_certificate(objects, listener.owner->kind(), listener.owner->namespace_name(), ref,
                                       "InvalidCertificateRef", now, certificate);
    if (problem && !first) first = std::move(problem);
    for (std::string& name : certificate.names) listener.certified.push_back(to_lower(name));
    if (certificate.is_expired)
      listener.expired = ConditionError{
          "Expired", "the certificate of Secret " + printable(ref.name()) + " is not valid at this time"};
  }
  return first;
}

/// Returns the problem, if any, with the CA certificates by which the Gateway's listeners of this port verify
/// the certificates of clients.
std::optional<ConditionError> validation_problem(const Objects& objects, const k8s::Dynamic& gateway,
                                                 Listener& listener) {
  const View tls = frontend_tls(gateway, listener.spec.port());
  const auto refs = tls.items<ObjectRef>("validation.caCertificateRefs");
  std::optional<ConditionError> first;
  std::size_t broken = 0;
  for (const ObjectRef& ref : refs) {
    auto problem = ca_problem(objects, "Gateway", gateway.namespace_name(), ref, "InvalidCACertificateKind");
    if (!problem) continue;
    ++broken;
    if (!first) first = std::move(problem);
  }
  if (first && broken == refs.size() && !listener.invalid)
    listener.invalid = ConditionError{"NoValidCACertificate", first->message};
  // A validation that cannot be carried out lets nobody in.
  if (tls.has("validation") && refs.empty() && !listener.invalid)
    listener.invalid = ConditionError{"NoValidCACertificate", "validation has no caCertificateRefs"};
  return first;
}

/// Returns the conflict between two listeners, if any. HTTP cannot share a port with TLS, and TCP shares it
/// with nothing but UDP.
std::optional<std::string> conflict_between(const Listener& a, const Listener& b) {
  const std::string_view first = a.spec.protocol(), second = b.spec.protocol();
  if (a.spec.port() != b.spec.port() || (first == "UDP") != (second == "UDP")) return std::nullopt;
  const auto has_tls = [](std::string_view protocol) { return protocol == "HTTPS" || protocol == "TLS"; };
  if (first == "UDP" || first == "TCP" || second == "TCP" || has_tls(first) != has_tls(second))
    return "ProtocolConflict";
  if (a.hostname == b.hostname) return "HostnameConflict";
  return std::nullopt;
}

/// Marks listeners of one port whose certificates or hostnames overlap with another's.
void mark_overlaps(const std::vector<Listener*>& shared) {
  std::vector<Listener*> with_tls;
  HostnameIndex certified, hostnames;
  for (Listener* listener : shared) {
    const std::string_view protocol = listener->spec.protocol();
    if (listener->conflict || (protocol != "HTTPS" && protocol != "TLS")) continue;
    with_tls.push_back(listener);
    hostnames.expect(listener->hostname);
    for (const std::string& name : listener->certified) certified.expect(name);
  }
  if (with_tls.size() < 2) return;
  for (std::size_t i = 0; i < with_tls.size(); ++i) {
    hostnames.add(with_tls[i]->hostname, i);
    for (const std::string& name : with_tls[i]->certified) certified.add(name, i);
  }
  for (std::size_t i = 0; i < with_tls.size(); ++i) {
    Listener& listener = *with_tls[i];
    std::optional<std::size_t> other;
    ConditionError overlap{"OverlappingHostnames", "both are for names of the other's hostname"};
    for (const std::string& name : listener.certified) {
      const auto found = certified.first(name, i);
      if (!found || (other && *found >= *other)) continue;
      other = found;
      overlap = {"OverlappingCertificates", "the certificates of both are valid for " + printable(name)};
    }
    if (!other) other = hostnames.first(listener.hostname, i);
    if (!other) continue;
    // Objects in another namespace are not named to readers who may not look into it.
    const Listener& second = *with_tls[*other];
    const bool is_near = listener.owner->namespace_name() == second.owner->namespace_name();
    overlap.message = (is_near ? second.describe() : "another listener") + ": " + overlap.message;
    listener.overlap = std::move(overlap);
  }
}

}  // namespace

std::vector<Listener> listeners_of(const Objects& objects, const k8s::Dynamic& owner,
                                   const k8s::Dynamic& gateway, WallTime now) {
  std::vector<Listener> listeners;
  for (const ListenerSpec& spec : owner.items<ListenerSpec>("spec.listeners")) {
    Listener listener{.owner = &owner, .spec = spec};
    const Protocol* protocol = find_protocol(spec.protocol());
    if (protocol != nullptr) {
      listener.kinds = protocol->kinds;
      if (protocol->has_hostname) listener.hostname = spec.hostname();
      listener.is_guarded = protocol->has_hostname && has_filters(spec) &&
                            (listener.hostname.empty() || is_hostname(listener.hostname, true));
    }
    listener.invalid = spec_problem(spec, protocol);
    const auto kinds = narrow_kinds(listener);
    if (protocol != nullptr && protocol->has_tls && spec.tls_mode() == "Terminate") {
      listener.unresolved = certificates_problem(objects, listener, now);
      // TLS secrets count to what must be there (GEP-1364, Accepted).
      if (listener.unresolved && !listener.invalid) listener.invalid = listener.unresolved;
    }
    if (protocol != nullptr && protocol->name == "HTTPS") {
      auto problem = validation_problem(objects, gateway, listener);
      if (problem && !listener.unresolved) listener.unresolved = std::move(problem);
    }
    if (kinds && !listener.unresolved) listener.unresolved = kinds;
    listeners.push_back(std::move(listener));
  }
  return listeners;
}

View frontend_tls(const k8s::Dynamic& gateway, std::int64_t port) {
  for (const View& one : gateway.items("spec.tls.frontend.perPort")) {
    if (one.integer("port") == port) return one.at("tls");
  }
  return gateway.at("spec.tls.frontend.default");
}

void compare_listeners(std::vector<Listener>& listeners) {
  const auto counts = [](const Listener& listener) {
    return !listener.invalid || listener.is_guarded ||
           (listener.invalid->reason != "UnsupportedProtocol" &&
            listener.invalid->reason != "PortUnavailable" && listener.invalid->reason != "UnsupportedValue");
  };
  std::map<std::int64_t, std::vector<Listener*>> by_port;
  for (Listener& listener : listeners) {
    if (counts(listener)) by_port[listener.spec.port()].push_back(&listener);
  }
  const auto mark = [](Listener& loser, const std::string& reason, const Listener& other) {
    // A protocol in the way says more than a hostname.
    if (loser.conflict && (loser.conflict->reason == reason || reason != "ProtocolConflict")) return;
    // Objects in another namespace are not named to readers who may not look into it.
    const bool is_near = loser.owner->namespace_name() == other.owner->namespace_name();
    loser.conflict = ConditionError{
        reason, "in conflict with " + (is_near ? other.describe() : "a listener of higher precedence")};
  };
  for (auto& [port, shared] : by_port) {
    // Listeners that have lost to an owner of higher precedence conflict with no others.
    std::set<const Listener*> lost;
    for (Listener* listener : shared) {
      for (const Listener* other : shared) {
        if (other->owner == listener->owner) break;
        const auto reason = lost.contains(other) ? std::nullopt : conflict_between(*other, *listener);
        if (!reason) continue;
        mark(*listener, *reason, *other);
        lost.insert(listener);
      }
    }
    for (std::size_t i = 0; i < shared.size(); ++i) {
      for (std::size_t j = i + 1; j < shared.size() && shared[j]->owner == shared[i]->owner; ++j) {
        if (lost.contains(shared[i]) || lost.contains(shared[j])) continue;
        const auto reason = conflict_between(*shared[i], *shared[j]);
        if (!reason) continue;
        mark(*shared[j], *reason, *shared[i]);
        mark(*shared[i], *reason, *shared[j]);
      }
    }
    mark_overlaps(shared);
  }
}

}  // namespace fairway::gateway
