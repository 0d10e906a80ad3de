// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_settings.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "gateway/internal/model/expressions.h"
#include "gateway/internal/objects/session.h"
#include "gateway/internal/objects/values.h"
#include "gateway/internal/translation/envoy_headers.h"
#include "gateway/internal/translation/envoy_json.h"

namespace fairway::gateway {

namespace {

using k8s::View;

constexpr std::string_view cors_filter = "envoy.filters.http.cors";
constexpr std::string_view session_filter = "envoy.filters.http.stateful_session";
constexpr std::string_view session_type = "envoy.extensions.filters.http.stateful_session.v3.StatefulSession";

json::Object retries(const View& retry, std::optional<std::chrono::milliseconds> each) {
  std::string on = "connect-failure,refused-stream,reset-before-request,unavailable";
  json::Object policy{{"num_retries", retry.integer("attempts", 1)}};
  json::Array codes;
  if (const json::Value* list = retry.find("codes"); list != nullptr && list->is_array())
    codes = list->get_array();
  if (!codes.empty()) {
    on += ",retriable-status-codes";
    policy["retriable_status_codes"] = std::move(codes);
  }
  if (each) {
    // A try that takes too long is reset.
    on += ",reset";
    policy["per_try_timeout"] = seconds(*each);
  }
  policy["retry_on"] = on;
  if (const auto backoff = read_duration(retry.text("backoff")); backoff && backoff->count() > 0) {
    // The base interval: Envoy waits for a random time, which grows up to ten times of it.
    policy["retry_back_off"] = json::Object{{"base_interval", seconds(*backoff)}};
  }
  return policy;
}

/// Returns the match of an origin of `allowOrigins`: "*", or one whose host may have a "*" for labels.
json::Object origin_match(std::string_view origin) {
  if (origin == "*") return {{"safe_regex", json::Object{{"regex", ".*"}}}};
  if (origin.find('*') == std::string_view::npos) return {{"exact", origin}};
  return {{"safe_regex", json::Object{{"regex", origin_expression(origin)}}}};
}

json::Object cors(const View& filter) {
  json::Array origins;
  for (const std::string_view origin : filter.texts("allowOrigins")) origins.push_back(origin_match(origin));
  json::Object policy{{"allow_origin_string_match", std::move(origins)},
                      // A page of another origin learns nothing from the backend.
                      {"forward_not_matching_preflights", false},
                      {"max_age", std::to_string(filter.integer("maxAge", 5))}};
  const auto add = [&](const char* list, const char* member) {
    std::vector<std::string> names;
    for (const std::string_view name : filter.texts(list)) names.emplace_back(name);
    if (!names.empty()) policy[member] = join(names, ", ");
  };
  add("allowMethods", "allow_methods");
  add("allowHeaders", "allow_headers");
  add("exposeHeaders", "expose_headers");
  if (filter.flag("allowCredentials")) policy["allow_credentials"] = true;
  return any("envoy.extensions.filters.http.cors.v3.CorsPolicy", std::move(policy));
}

json::Object session(const SessionPersistence& persistence) {
  const std::string_view name = persistence.name().value_or("fairway-session");
  json::Object state;
  if (persistence.is_of_header()) {
    state = extension("envoy.http.stateful_session.header",
                      "envoy.extensions.http.stateful_session.header.v3.HeaderBasedSessionState",
                      {{"name", name}});
  } else {
    json::Object cookie{{"name", name}, {"path", persistence.cookie_path()}};
    const auto lifetime = read_duration(persistence.text("absoluteTimeout"));
    if (persistence.lifetime() == "Permanent" && lifetime) cookie["ttl"] = seconds(*lifetime);
    state = extension("envoy.http.stateful_session.cookie",
                      "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState",
                      {{"cookie", std::move(cookie)}});
  }
  return any("envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute",
             {{"stateful_session", json::Object{{"session_state", std::move(state)}}}});
}

}  // namespace

json::Array http_filters() {
  // CORS before the headers change: it has Envoy choose the route, which may match such a header.
  return {extension(cors_filter, "envoy.extensions.filters.http.cors.v3.Cors"), header_filter(),
          extension(session_filter, session_type),
          extension("envoy.filters.http.router", "envoy.extensions.filters.http.router.v3.Router",
                    {{"suppress_envoy_headers", true}})};
}

void add_times(const View& rule, json::Object& action) {
  const auto request = read_duration(rule.text("timeouts.request"));
  const auto backend = read_duration(rule.text("timeouts.backendRequest"));
  const bool has_limit = backend && backend->count() > 0;
  if (const View retry = rule.at("retry"); rule.has("retry") && retry.integer("attempts", 1) > 0) {
    action["retry_policy"] = retries(retry, has_limit ? backend : std::nullopt);
    if (request) action["timeout"] = seconds(*request);
  } else if (has_limit && (!request || request->count() == 0 || *backend < *request)) {
    // Without a retry the whole request takes as long as its only try.
    action["timeout"] = seconds(*backend);
  } else if (request) {
    action["timeout"] = seconds(*request);
  }
  // Envoy would end requests after 15 s.
  if (!action.contains("timeout")) action["timeout"] = "0s";
}

void add_filter_settings(const View& rule, json::Object& route) {
  json::Object settings;
  for (const View& filter : rule.items("filters")) {
    if (filter.text("type") != "CORS") continue;
    settings[cors_filter] = cors(filter.at("cors"));
    // Envoy repeats the origin of the request, whatever is allowed.
    settings[header_filter_name] = origin_varies();
  }
  if (rule.has("sessionPersistence"))
    settings[session_filter] = session(SessionPersistence(rule.at("sessionPersistence").json()));
  if (!settings.empty()) route["typed_per_filter_config"] = std::move(settings);
}

}  // namespace fairway::gateway
