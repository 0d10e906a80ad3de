// SPDX-License-Identifier: Apache-2.0

#include "cli/promql/promql_ask.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "promql/engine/result_reader.h"

namespace fairway::cli {

namespace {

constexpr std::size_t largest_answer = std::size_t{256} << 20;

/// Returns advice about a status that has no text of its own.
std::string hint_about(std::string_view message) {
  if (message.ends_with("client error: 401"))
    return "the server wants credentials: --prometheus-token-file FILE with a bearer token (on OpenShift, of "
           "`oc whoami -t`)";
  if (message.ends_with("client error: 403"))
    return "the token is known, but may not read metrics: on OpenShift it needs the role "
           "cluster-monitoring-view";
  if (message.ends_with("client error: 404"))
    return "is --prometheus the URL of a Prometheus or Thanos? /api/v1/query is appended to it";
  if (message.ends_with("redirects are not followed")) return "give the URL that it redirects to";
  return "";
}

/// Splits the text of a failure if it begins with the API's word for its kind.
AskFailure failure_of(const std::string& text) {
  static constexpr std::string_view kinds[] = {
      "bad_data",  "execution",      "timeout",           "canceled",     "internal",     "unavailable",
      "not_found", "not_acceptable", "too_many_requests", "client_error", "server_error", "bad_response"};
  const std::size_t colon = text.find(": ");
  const std::string_view kind = std::string_view(text).substr(0, colon);
  if (colon == std::string::npos || std::ranges::find(kinds, kind) == std::end(kinds))
    return {"unavailable", text, hint_about(text)};
  return {std::string(kind), text.substr(colon + 2), hint_about(text)};
}

}  // namespace

std::expected<promql::QueryResult, AskFailure> ask_prometheus(const PrometheusFlags& flags,
                                                              const std::string& query,
                                                              const risk::PrometheusApi::Times& times) {
  const auto api = make_prometheus_api(flags);
  if (!api) return std::unexpected(AskFailure{"", api.error().message, ""});
  const auto answer = (*api)->ask(query, times, {}, largest_answer);
  if (!answer) return std::unexpected(failure_of(answer.error().message));
  auto result = promql::read_result(*answer);
  if (!result) return std::unexpected(failure_of(result.error().message));
  return *std::move(result);
}

}  // namespace fairway::cli
