// SPDX-License-Identifier: Apache-2.0

// Queries over the HTTP API of Prometheus and compatible servers (Thanos).
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "http/client.h"
#include "promql/engine/value.h"

namespace fairway::risk {

/// URL of the query API in OpenShift clusters.
inline constexpr const char* default_prometheus_url =
    "https://thanos-querier.openshift-monitoring.svc.cluster.local:9091";

struct PrometheusOptions {
  /// The server; `/api/v1/query` is appended to its path. Credentials in it are sent (Basic) if there is no
  /// token file, and never logged.
  std::string url = default_prometheus_url;
  /// PEM files of CAs trusted in addition to the system's.
  std::vector<std::string> ca_files;
  /// File with a bearer token; reread for each call, because tokens rotate. Empty: none is sent.
  std::string token_file;
  /// Deadline of one call, from connecting to the last byte; also sent to the server (`timeout`).
  std::chrono::milliseconds deadline = std::chrono::seconds(30);
  /// Maximum size of a reply; a larger one is an error.
  std::size_t max_answer_bytes = std::size_t{1} << 20;
  /// True to use HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
  bool proxy_environment = true;
  /// Clock of the deadlines.
  const Clock* clock = &Clock::system();
};

class PrometheusApi {
 public:
  struct Failure {
    /// Message in the format of Prometheus's Go client: "bad_data: invalid parameter ...", "server_error:
    /// server error: 503", or the transport error.
    std::string message;
    /// True if a request was attempted, and whether a connection was established, so that the server may have
    /// received the query.
    bool called = true, sent = true;
  };

  /// The reply to a query.
  struct Reply {
    /// Data of the reply: an object with `resultType` (a string) and `result`.
    json::Value data;
    /// The server's warnings, e.g. that the result is partial.
    std::vector<std::string> warnings;
    /// Time of the server, to the second, if the reply has a Date header.
    std::optional<WallTime> date;
  };

  /// The evaluation times of a query.
  struct Times {
    /// Time of an instant query; std::nullopt: the server's current time.
    std::optional<promql::Timestamp> at;
    /// Times of a range query, if `step` is not 0: `start`, `start + step`, ... up to `end` (milliseconds).
    promql::Timestamp step = 0, start = 0, end = 0;
  };

  /// Creates a client. An Error: the URL or a CA file is invalid.
  static Result<std::unique_ptr<PrometheusApi>> create(const PrometheusOptions& options);

  /// Evaluates a query at `time`, or at the server's current time. Partial responses of Thanos are disabled.
  /// Redirects are failures, because the token is for one server. `max_answer_bytes` other than 0 overrides
  /// that of the options.
  std::expected<Reply, Failure> query(std::string_view query, std::stop_token stop,
                                      std::size_t max_answer_bytes = 0,
                                      std::optional<promql::Timestamp> time = {});

  /// Evaluates a query at any times, and returns the whole reply:
  /// {"status":"success","data":{...},"warnings":[...]}.
  std::expected<json::Value, Failure> ask(std::string_view query, const Times& times, std::stop_token stop,
                                          std::size_t max_answer_bytes = 0);

  /// Returns the server's URL without credentials.
  std::string name() const;

 private:
  std::expected<json::Value, Failure> send(std::string_view query, const Times& times, bool whole,
                                           std::stop_token stop, std::size_t max_answer_bytes,
                                           std::optional<WallTime>& date);
  PrometheusApi(const PrometheusOptions& options, http::Url url, std::unique_ptr<http::Client> client);

  PrometheusOptions options_;
  http::Url url_;  ///< URL of the query API
  std::unique_ptr<http::Client> client_;
};

}  // namespace fairway::risk
