// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

#include "gateway/internal/translation/envoy_json.h"

namespace fairway::gateway {

namespace {

/// Interval of further questions of TCP, and number of questions without an answer that end a connection.
constexpr std::chrono::seconds probe_interval{10};
constexpr int probes = 6;
/// Longest time that a client may take to answer a ping of HTTP/2.
constexpr std::chrono::seconds longest_ping{20};
/// Time after which the copy of a request for a mirror is given up.
constexpr std::chrono::minutes longest_copy{5};

json::Object socket_option(int level, int name, std::int64_t value) {
  return {{"level", level}, {"name", name}, {"int_value", value}, {"state", "STATE_PREBIND"}};
}

}  // namespace

json::Array keepalive_options(std::chrono::seconds keepalive) {
  if (keepalive.count() == 0) return {};
  return {socket_option(SOL_SOCKET, SO_KEEPALIVE, 1),
          socket_option(IPPROTO_TCP, TCP_KEEPIDLE, keepalive.count()),
          socket_option(IPPROTO_TCP, TCP_KEEPINTVL, probe_interval.count()),
          socket_option(IPPROTO_TCP, TCP_KEEPCNT, probes)};
}

json::Object backend_keepalive(std::chrono::seconds keepalive) {
  return {{"tcp_keepalive", json::Object{{"keepalive_probes", probes},
                                         {"keepalive_time", keepalive.count()},
                                         {"keepalive_interval", probe_interval.count()}}}};
}

json::Object mirror_limit() {
  return {{"max_stream_duration", seconds(longest_copy)}};
}

void add_client_times(const ConnectionTimes& times, std::chrono::seconds keepalive, json::Object& manager) {
  manager["stream_idle_timeout"] = "0s";
  manager["stream_flush_timeout"] = seconds(times.unread);
  manager["request_headers_timeout"] = seconds(times.headers);
  manager["common_http_protocol_options"] = json::Object{{"idle_timeout", seconds(times.idle)}};
  if (keepalive.count() == 0) return;
  manager["http2_protocol_options"] = json::Object{
      {"connection_keepalive", json::Object{{"interval", seconds(keepalive)},
                                            {"timeout", seconds(std::min(keepalive, longest_ping))}}}};
}

void add_handshake_times(const ConnectionTimes& times, json::Object& listener) {
  listener["listener_filters_timeout"] = seconds(times.headers);
  if (times.headers.count() == 0) return;
  for (json::Value& chain : listener.at("filter_chains").get_array()) {
    json::Object& object = chain.get_object();
    if (object.contains("transport_socket"))
      object["transport_socket_connect_timeout"] = seconds(times.headers);
  }
}

}  // namespace fairway::gateway
