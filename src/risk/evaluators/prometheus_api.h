// Instant queries over the HTTP API of Prometheus and of what speaks like it (Thanos).
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

/// Where OpenShift clusters have it.
inline constexpr const char* default_prometheus_url =
    "https://thanos-querier.openshift-monitoring.svc.cluster.local:9091";

struct PrometheusOptions {
  /// The server; `/api/v1/query` is appended to its path. Credentials in it are sent (Basic) where there is
  /// no token file, and never shown.
  std::string url = default_prometheus_url;
  /// PEM files of CAs trusted beside the system's.
  std::vector<std::string> ca_files;
  /// A bearer token; read anew for each call, because tokens are replaced while we run. Empty: none is sent.
  std::string token_file;
  /// For one call, from the connection to the last byte; the server is told as well (`timeout`).
  std::chrono::milliseconds deadline = std::chrono::seconds(30);
  /// More answer than this is an error.
  std::size_t max_answer_bytes = std::size_t{1} << 20;
  /// HTTPS_PROXY and its kin.
  bool proxy_environment = true;
};

class PrometheusApi {
 public:
  struct Failure {
    /// In the words of Prometheus's Go client: "bad_data: invalid parameter ...", "server_error: server
    /// error: 503", or what went wrong on the way.
    std::string message;
    /// Whether anybody was called, and whether a connection came about, so that the server may have got the
    /// query.
    bool called = true, sent = true;
  };

  /// What a query was answered.
  struct Reply {
    /// An object with `resultType` (text) and `result`.
    json::Value data;
    /// What the server warns of: that its answer lacks a part, for one.
    std::vector<std::string> warnings;
    /// What time the server has, to the second, where it says (HTTP's Date).
    std::optional<WallTime> date;
  };

  /// When a query is to be evaluated.
  struct Times {
    /// Once: at this time, or at the server's present time.
    std::optional<promql::Timestamp> at;
    /// Where this is not 0: at `start`, `start + step`, ... up to `end` (milliseconds).
    promql::Timestamp step = 0, start = 0, end = 0;
  };

  /// An Error: the URL or a CA file is of no use.
  static Result<std::unique_ptr<PrometheusApi>> create(const PrometheusOptions& options);

  /// Evaluates a query at `time`, or at the server's present time. Thanos is asked to fail rather than to
  /// answer for some of its stores. A redirect is a failure: a token is for one server. `max_answer_bytes`
  /// other than 0 stands in for that of the options.
  std::expected<Reply, Failure> query(std::string_view query, std::stop_token stop,
                                      std::size_t max_answer_bytes = 0,
                                      std::optional<promql::Timestamp> time = {});

  /// The same at any times: the whole answer, {"status":"success","data":{...},"warnings":[...]}.
  std::expected<json::Value, Failure> ask(std::string_view query, const Times& times, std::stop_token stop,
                                          std::size_t max_answer_bytes = 0);

  /// The server's URL without credentials.
  std::string name() const;

 private:
  std::expected<json::Value, Failure> send(std::string_view query, const Times& times, bool whole,
                                           std::stop_token stop, std::size_t max_answer_bytes,
                                           std::optional<WallTime>& date);
  PrometheusApi(const PrometheusOptions& options, http::Url url, std::unique_ptr<http::Client> client);

  PrometheusOptions options_;
  http::Url url_;  ///< of the query API
  std::unique_ptr<http::Client> client_;
};

}  // namespace fairway::risk
