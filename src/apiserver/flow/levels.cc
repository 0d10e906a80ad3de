#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "apiserver/access/internal/attributes.h"
#include "apiserver/access/internal/authenticate.h"
#include "apiserver/flow/internal/levels.h"

namespace fairway::apiserver::flow {

namespace {

enum Level : std::uint8_t { health, leases, system, workload };

constexpr std::array<std::string_view, 4> open_paths{"/readyz", "/livez", "/healthz", "/version"};
constexpr std::string_view nodes_group = "system:nodes";

/// Whether a request keeps something alive: a Lease, by its name, or a node's own status.
bool is_sign_of_life(const http::Request& request, const access::User& user) {
  const auto asked = access::attributes_of(request.method, request.path, request.query);
  if (!asked || !asked->is_resource) return false;
  if (asked->group == "coordination.k8s.io" && asked->resource == "leases") {
    constexpr std::array<std::string_view, 4> verbs{"get", "create", "update", "patch"};
    return std::ranges::find(verbs, asked->verb) != verbs.end();
  }
  return asked->group.empty() && asked->resource == "nodes" && asked->subresource == "status" &&
         user.is_in(nodes_group);
}

/// The flow of those whom nobody knows yet: that of their address (IPv6: of a /64). No user has such a name.
std::string stranger_at(const http::Peer* peer) {
  constexpr std::size_t network_bytes = 8;
  std::string key = "\n";
  if (peer == nullptr) return key;
  std::string host = peer->address.substr(0, peer->address.rfind(':'));
  if (!host.starts_with('[')) return key + host;
  std::array<char, sizeof(in6_addr)> bytes{};
  host = host.substr(1, host.size() - 2);
  if (::inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1) return key + host;
  return key.append(bytes.data(), network_bytes);
}

}  // namespace

std::vector<http::FlowLevel> levels_of(const RequestLimits& limits) {
  const int all = std::max(limits.in_flight, 1);
  // What a level leaves to those that are more urgent.
  const int eighth = all / 8, quarter = all / 4;
  return {
      {.name = "health", .threads = all, .queue = limits.queued, .queue_of_flow = limits.queued},
      {.name = "leases",
       .threads = std::max(all / 2, 1),
       .queue = limits.queued,
       .queue_of_flow = limits.queued_per_user},
      {.name = "system",
       .threads = std::max(all - eighth, 1),
       .queue = limits.queued,
       .queue_of_flow = limits.queued},
      {.name = "workload",
       .threads = std::max(all - quarter, 1),
       .queue = limits.queued,
       .queue_of_flow = limits.queued_per_user},
  };
}

http::Flow flow_of(const http::Request& request, const access::Tokens* tokens) {
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && std::ranges::find(open_paths, request.path) != open_paths.end()) return {health, {}};
  const auto user = access::presumed_user(request, tokens);
  if (!user) return {workload, stranger_at(request.peer)};
  if (is_sign_of_life(request, *user)) return {leases, user->name};
  return {user->is_in(access::masters_group) ? system : workload, user->name};
}

Privilege privilege_of(const http::Request& request, const access::User& user) {
  if (user.is_in(access::masters_group)) return Privilege::all;
  const bool is_dry = request.query.find("dryRun") != std::string_view::npos;
  return is_sign_of_life(request, user) && !is_dry ? Privilege::lease : Privilege::none;
}

}  // namespace fairway::apiserver::flow
