// SPDX-License-Identifier: Apache-2.0

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/access/authenticate.h"
#include "apiserver/internal/flow/levels.h"

namespace fairway::apiserver::flow {

namespace {

enum Level : std::uint8_t { health, leases, system, workload };

constexpr std::array<std::string_view, 4> open_paths{"/readyz", "/livez", "/healthz", "/version"};
constexpr std::string_view nodes_group = "system:nodes";
constexpr std::size_t longest_held_query = 1024;

/// Returns whether a request keeps something alive: a Lease, by its name, or a node's own status.
bool is_sign_of_life(const access::Attributes& asked, const access::User& user) {
  if (!asked.is_resource) return false;
  if (asked.group == "coordination.k8s.io" && asked.resource == "leases") {
    constexpr std::array<std::string_view, 4> verbs{"get", "create", "update", "patch"};
    return std::ranges::find(verbs, asked.verb) != verbs.end();
  }
  return asked.group.empty() && asked.resource == "nodes" && asked.subresource == "status" &&
         user.is_in(nodes_group);
}

/// Returns the flow of unknown users, which is that of their address (IPv6: of a /64). No user has such a
/// name.
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
  // Threads that a level leaves to more urgent ones.
  const int eighth = all / 8, quarter = all / 4;
  // Each user leaves some threads of a level to the others.
  const auto most_of_one = [](int threads) { return threads > 1 ? threads - std::max(threads / 4, 1) : 1; };
  const int for_leases = std::max(all / 2, 1), for_workload = std::max(all - quarter, 1);
  return {
      {.name = "health", .threads = all, .queue = limits.queued, .queue_of_flow = limits.queued},
      {.name = "leases",
       .threads = for_leases,
       .threads_of_flow = most_of_one(for_leases),
       .queue = limits.queued,
       .queue_of_flow = limits.queued_per_user},
      {.name = "system",
       .threads = std::max(all - eighth, 1),
       .queue = limits.queued,
       .queue_of_flow = limits.queued},
      {.name = "workload",
       .threads = for_workload,
       .threads_of_flow = most_of_one(for_workload),
       .queue = limits.queued,
       .queue_of_flow = limits.queued_per_user},
  };
}

http::Flow flow_of(const http::Request& request, const access::Tokens* tokens) {
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && std::ranges::find(open_paths, request.path) != open_paths.end())
    return {health, {}, nullptr};
  const auto user = access::presumed_user(request, tokens);
  // A request of an unknown user is parsed when its turn has come, and not by the threads that serve all.
  if (!user) return {workload, stranger_at(request.peer), nullptr};
  auto info = access::request_info(request);
  const Level level = is_sign_of_life(info->attributes, *user) ? leases
                      : user->is_in(access::masters_group)     ? system
                                                               : workload;
  // A long query takes many times its size once it is parsed, for as long as the request waits.
  if (request.query.size() > longest_held_query) info.reset();
  return {level, user->name, std::move(info)};
}

Privilege privilege_of(const access::RequestInfo& info, const access::User& user) {
  if (user.is_in(access::masters_group)) return Privilege::all;
  return is_sign_of_life(info.attributes, user) && !info.is_dry_run() ? Privilege::lease : Privilege::none;
}

}  // namespace fairway::apiserver::flow
