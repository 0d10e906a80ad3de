// SPDX-License-Identifier: Apache-2.0

#include "risk/evaluators/prometheus_api.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/http_date.h"
#include "base/json_unambiguous.h"
#include "base/redact.h"
#include "base/text.h"
#include "promql/parser/go_text.h"
#include "risk/internal/evaluators/bearer_token.h"

namespace fairway::risk {

namespace {

constexpr std::size_t longest_text = 2'000;
constexpr std::size_t most_warnings = 10;

/// Maximum number of values of one answer, with room for the samples that any evaluator accepts: in memory
/// each takes many times the size of its text.
constexpr std::size_t most_values = 15'000'000;

/// Maximum number of lists and objects of one answer, which take more memory than other values for fewer
/// bytes: a sample is one.
constexpr std::ptrdiff_t most_lists = 3'000'000;

/// Returns an upper bound of the number of values in a JSON text, without parsing it.
std::size_t values_at_most(std::string_view text) {
  return static_cast<std::size_t>(
             std::ranges::count_if(text, [](char c) { return c == ',' || c == '[' || c == '{'; })) +
         1;
}

/// Returns the message for a reply of status `code` without one, in the words of the Go client.
std::string text_of_status(int code) {
  if (code / 100 == 4) return "client_error: client error: " + std::to_string(code);
  if (code / 100 == 5) return "server_error: server error: " + std::to_string(code);
  return "bad_response: bad response code " + std::to_string(code);
}

/// Returns "bad_data: ..." for {"status":"error"}; empty for any other document.
std::string error_of(const json::Value& document) {
  if (json::find_string(document, "status") != "error") return {};
  const auto type = json::find_string(document, "errorType").value_or("error");
  const auto text = json::find_string(document, "error").value_or("the server says no more");
  return printable(type, 100) + ": " + printable(text, longest_text);
}

/// Returns the document of a successful answer, whose data have a type and a result.
std::expected<json::Value, std::string> answer_of(http::Reply&& reply) {
  const int code = reply.status;
  if (code / 100 == 3) {
    const auto location = reply.headers.find("Location");
    return std::unexpected(text_of_status(code) +
                           (location ? ": a redirect to " + printable(*location) : "") +
                           "; redirects are not followed");
  }
  if (std::ranges::count(reply.body, '[') + std::ranges::count(reply.body, '{') > most_lists) {
    return std::unexpected("bad_response: the answer has more than " + std::to_string(most_lists) +
                           " lists and objects");
  }
  if (values_at_most(reply.body) > most_values) {
    return std::unexpected("bad_response: the answer has more than " + std::to_string(most_values) +
                           " values");
  }
  auto document = json::parse_unambiguous(reply.body);
  const std::string error = document ? error_of(*document) : "";
  if (!error.empty()) return std::unexpected(error);
  // Prometheus answers wrong queries with these, and then says why.
  if ((code == 400 || code == 422) && document)
    return std::unexpected("bad_response: inconsistent body for response code");
  if (code / 100 != 2) return std::unexpected(text_of_status(code));
  if (!document) return std::unexpected("bad_response: " + document.error().message);
  if (json::find_string(*document, "status") != "success")
    return std::unexpected("bad_response: the answer has no status");
  const json::Value* data = json::find(*document, "data");
  if (data == nullptr || !json::find_string(*data, "resultType") || json::find(*data, "result") == nullptr)
    return std::unexpected("bad_response: the answer has no result");
  return *std::move(document);
}

/// Returns the timeout for the server, which stops the query by its own clock.
std::string timeout_text(std::chrono::milliseconds deadline) {
  return std::to_string(deadline.count()) + "ms";
}

/// Returns "1700000000.123".
std::string time_text(promql::Timestamp time) {
  return promql::format_fixed(static_cast<double>(time) / 1000, 3);
}

}  // namespace

Result<std::unique_ptr<PrometheusApi>> PrometheusApi::create(const PrometheusOptions& options) {
  auto url = http::Url::parse(options.url);
  if (!url) return fail(url.error());
  if (url->scheme != "http" && url->scheme != "https") {
    return fail(ErrorCode::invalid, "the URL of Prometheus has to begin with http:// or https://, not " +
                                        printable(url->scheme) + "://");
  }
  if (!url->query.empty()) {
    return fail(ErrorCode::invalid,
                "the URL of Prometheus is that of the server (https://HOST:PORT), without "
                "`?" +
                    printable(url->query, 80) + "`");
  }
  while (url->path.ends_with('/')) url->path.pop_back();
  url->path += "/api/v1/query";
  url->fragment.clear();
  http::ClientOptions client_options;
  client_options.ca_files = options.ca_files;
  client_options.proxy_environment = options.proxy_environment;
  client_options.clock = options.clock;
  auto client = http::Client::create(client_options);
  if (!client) return fail(client.error());
  return std::unique_ptr<PrometheusApi>(new PrometheusApi(options, *std::move(url), *std::move(client)));
}

PrometheusApi::PrometheusApi(const PrometheusOptions& options, http::Url url,
                             std::unique_ptr<http::Client> client)
    : options_(options), url_(std::move(url)), client_(std::move(client)) {}

std::string PrometheusApi::name() const {
  http::Url server = url_;
  server.userinfo.clear();
  server.path.resize(server.path.size() - std::string_view("/api/v1/query").size());
  std::string text = server.to_string();
  while (text.ends_with('/')) text.pop_back();
  return text;
}

std::expected<PrometheusApi::Reply, PrometheusApi::Failure> PrometheusApi::query(
    std::string_view query, std::stop_token stop, std::size_t max_answer_bytes,
    std::optional<promql::Timestamp> time) {
  Reply reply;
  auto answer = send(query, {.at = time}, true, std::move(stop), max_answer_bytes, reply.date);
  if (!answer) return std::unexpected(std::move(answer.error()));
  const auto warn = [&reply](const json::Value& warning) {
    if (reply.warnings.size() == most_warnings) return;
    reply.warnings.push_back(printable(
        warning.is_string() ? std::string(warning.get_string()) : json::to_text(warning), longest_text));
  };
  if (const json::Value* warnings = json::find(*answer, "warnings"); warnings != nullptr) {
    if (warnings->is_array()) {
      std::ranges::for_each(warnings->get_array(), warn);
    } else if (!warnings->is_null()) {
      warn(*warnings);  // not as the API has them, but still something that the server warns of
    }
  }
  reply.data = std::move(answer->as_object()["data"]);
  return reply;
}

std::expected<json::Value, PrometheusApi::Failure> PrometheusApi::ask(std::string_view query,
                                                                      const Times& times,
                                                                      std::stop_token stop,
                                                                      std::size_t max_answer_bytes) {
  std::optional<WallTime> date;
  return send(query, times, false, std::move(stop), max_answer_bytes, date);
}

std::expected<json::Value, PrometheusApi::Failure> PrometheusApi::send(std::string_view query,
                                                                       const Times& times, bool whole,
                                                                       std::stop_token stop,
                                                                       std::size_t max_answer_bytes,
                                                                       std::optional<WallTime>& date) {
  http::Call call;
  call.url = url_;
  call.headers = {{"Accept", "application/json"}};
  if (!options_.token_file.empty()) {
    const auto token = read_bearer_token(options_.token_file);
    if (!token) return std::unexpected(Failure{token.error().message, false, false});
    call.headers.set("Authorization", "Bearer " + *token);
  }
  call.url.query = "query=" + http::percent_encode(query) + "&timeout=" + timeout_text(options_.deadline);
  // For Thanos; other servers ignore it.
  if (whole) call.url.query += "&partial_response=false";
  if (times.step > 0) {
    call.url.path += "_range";
    call.url.query += "&start=" + time_text(times.start) + "&end=" + time_text(times.end) +
                      "&step=" + time_text(times.step);
  } else if (times.at) {
    call.url.query += "&time=" + time_text(*times.at);
  }
  call.limits = Limits::within(*options_.clock, options_.deadline, std::move(stop));
  call.max_body_bytes = max_answer_bytes != 0 ? max_answer_bytes : options_.max_answer_bytes;
  call.max_redirects = 0;
  call.accept_gzip = true;
  bool sent = false;
  call.on_connected = [&sent] { sent = true; };
  auto reply = client_->send(call);
  if (!reply) {
    // The client's errors begin with the URL asked; a long encoded query in it helps no reader.
    std::string message = std::move(reply.error().message);
    const std::string asked = "GET " + printable(redact_urls(call.url.to_string()), 300);
    if (message.starts_with(asked))
      message = "GET " + name() + (times.step > 0 ? "/api/v1/query_range" : "/api/v1/query") +
                message.substr(asked.size());
    return std::unexpected(Failure{std::move(message), true, sent});
  }
  if (const auto said = reply->headers.find("Date")) {
    if (const auto time = parse_http_date(*said)) date = *time;
  }
  auto answer = answer_of(*std::move(reply));
  if (!answer) return std::unexpected(Failure{std::move(answer.error())});
  return *std::move(answer);
}

}  // namespace fairway::risk
