// SPDX-License-Identifier: Apache-2.0

#include "cli/server_limits.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "cli/duration_option.h"

namespace fairway::cli {

void add_server_limits(CLI::App& command, http::ServerOptions& server, ServerTimes& times) {
  constexpr const char* group = "Limits";
  command
      .add_option("--max-connections", server.max_connections,
                  "Connections held at once, and streams on them")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-connections-per-address", server.max_connections_per_address,
                  "Connections of one remote address (IPv6: a /64); 0 is nine tenths of --max-connections")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-unfinished-per-address", server.max_unfinished_per_address,
                  "Requests of one address that have only begun to come; beyond it the oldest closes; 0 is a "
                  "quarter of --max-connections, at most what fits into half of --max-unfinished-bytes")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-unfinished-bytes", server.max_unfinished_bytes,
                  "Memory of all requests that have only begun to come; beyond it those of the address that "
                  "holds most are closed, then slow ones; 0 is no limit")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-unread-bytes", server.max_unread_bytes,
                  "The kernel's memory of all replies that wait for their readers; beyond it those of the "
                  "address that holds most are closed, then the oldest; 0 is no limit")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--min-body-rate", server.min_body_rate,
                  "Bytes a second that a request's body has to come at; 0 is no limit")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--min-reply-rate", server.min_reply_rate,
                  "Bytes a second that a reply has to be read at; 0 is no limit")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-header-bytes", server.max_header_bytes,
                  "Size of a request's first line and headers; beyond it 431")
      ->type_name("N")
      ->check(CLI::Range(1024, 1 << 20).description(""))
      ->capture_default_str()
      ->group(group);
  command.add_option("--header-timeout", times.header, "Time for the head of a request; then 408")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command.add_option("--body-timeout", times.body, "Time for the body of a request; then 408")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command.add_option("--write-timeout", times.write, "Time to read a reply; then the connection closes")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command.add_option("--rate-window", times.rate_window, "The time in which the least rates have to be kept")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command.add_option("--idle-timeout", times.idle, "How long a connection may rest between requests")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-requests-per-second", server.max_requests_per_second,
                  "For each remote address; 0 is no limit")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag_function(
          "--http2",
          [&server](std::int64_t times) { server.http2 = times > 0 ? http::Http2::tls : http::Http2::off; },
          "Speak HTTP/2 with clients that choose it in the TLS handshake, besides HTTP/1.1")
      ->group(group);
  command
      .add_option("--max-streams", server.max_streams,
                  "Requests that are open at once on one connection of HTTP/2; each counts as a connection")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000).description(""))
      ->capture_default_str()
      ->group(group);
  command.add_option("--io-threads", server.io_threads, "Threads that answer; 0 is one a core")
      ->type_name("N")
      ->check(CLI::Range(0, 256).description(""))
      ->capture_default_str()
      ->group(group);
}

Result<void> read_times(const ServerTimes& times, http::ServerOptions& server) {
  struct TimeLimit {
    const char* flag;
    const std::string& text;
    std::chrono::milliseconds& to;
  };
  for (const TimeLimit& limit : {TimeLimit{"header-timeout", times.header, server.header_timeout},
                                 TimeLimit{"body-timeout", times.body, server.body_timeout},
                                 TimeLimit{"write-timeout", times.write, server.write_timeout},
                                 TimeLimit{"rate-window", times.rate_window, server.rate_window},
                                 TimeLimit{"idle-timeout", times.idle, server.idle_timeout}}) {
    const auto time = duration_of<std::chrono::milliseconds>(limit.flag, limit.text);
    if (!time) return fail(time.error());
    limit.to = *time;
  }
  return {};
}

std::vector<std::string> changed_limits(const http::ServerOptions& a, const ServerTimes& a_times,
                                        const http::ServerOptions& b, const ServerTimes& b_times) {
  std::vector<std::string> flags;
  const auto compare = [&](const char* flag, const auto& before, const auto& now) {
    if (before != now) flags.emplace_back(flag);
  };
  compare("--max-connections", a.max_connections, b.max_connections);
  compare("--max-connections-per-address", a.max_connections_per_address, b.max_connections_per_address);
  compare("--max-unfinished-per-address", a.max_unfinished_per_address, b.max_unfinished_per_address);
  compare("--max-unfinished-bytes", a.max_unfinished_bytes, b.max_unfinished_bytes);
  compare("--max-unread-bytes", a.max_unread_bytes, b.max_unread_bytes);
  compare("--min-body-rate", a.min_body_rate, b.min_body_rate);
  compare("--min-reply-rate", a.min_reply_rate, b.min_reply_rate);
  compare("--max-header-bytes", a.max_header_bytes, b.max_header_bytes);
  compare("--header-timeout", a_times.header, b_times.header);
  compare("--body-timeout", a_times.body, b_times.body);
  compare("--write-timeout", a_times.write, b_times.write);
  compare("--rate-window", a_times.rate_window, b_times.rate_window);
  compare("--idle-timeout", a_times.idle, b_times.idle);
  compare("--max-requests-per-second", a.max_requests_per_second, b.max_requests_per_second);
  compare("--http2", a.http2, b.http2);
  compare("--max-streams", a.max_streams, b.max_streams);
  compare("--io-threads", a.io_threads, b.io_threads);
  return flags;
}

}  // namespace fairway::cli
