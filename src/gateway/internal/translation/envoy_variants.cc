// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_variants.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "gateway/internal/model/expressions.h"
#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

namespace {

using k8s::View;

/// Methods of which a request may be repeated although it may have been processed (RFC 9110, 9.2.2).
constexpr std::string_view repeatable_methods = "GET|HEAD|OPTIONS|TRACE|PUT|DELETE";

json::Object by_expression(std::string_view header, std::string_view expression) {
  return {{"name", header},
          {"string_match", json::Object{{"safe_regex", json::Object{{"regex", expression}}}}}};
}

json::Object by_text(std::string_view header, std::string_view text) {
  return {{"name", header}, {"string_match", json::Object{{"exact", text}}}};
}

/// Returns a route that has more matches of headers. Its precedence is the same, so that it is tried before
/// the one that it was made of, and no other rule is between them.
EnvoyRoute narrowed(EnvoyRoute route, json::Array headers) {
  json::Object& match = route.route.at("match").get_object();
  json::Value& all = match["headers"];
  if (!all.is_array()) all = json::Array{};
  for (json::Value& header : headers) all.get_array().push_back(std::move(header));
  return route;
}

/// Adds a header to the answers of a route.
void add_answer_header(EnvoyRoute& route, std::string_view name, std::string_view value,
                       std::string_view action = "OVERWRITE_IF_EXISTS_OR_ADD") {
  json::Value& all = route.route["response_headers_to_add"];
  if (!all.is_array()) all = json::Array{};
  all.get_array().push_back(
      json::Object{{"header", json::Object{{"key", name}, {"value", value}}}, {"append_action", action}});
}

std::vector<EnvoyRoute> with_ports(EnvoyRoute route, std::string_view scheme) {
  const json::Object& redirect = route.route.at("redirect").get_object();
  if (redirect.contains("host_redirect") || redirect.contains("port_redirect")) return {std::move(route)};
  const json::Value* to = redirect.if_contains("scheme_redirect");
  const std::int64_t port = default_port(to != nullptr ? std::string_view(to->get_string()) : scheme);
  EnvoyRoute named = narrowed(route, {by_expression(":authority", ".*:[0-9]+")});
  named.route.at("redirect").get_object()["port_redirect"] = port;
  return {std::move(named), std::move(route)};
}

/// Adds the header that lists names. A "*" becomes `asked`, the header of the request with the names that it
/// asks for: beside credentials a "*" would be a name.
void add_names(const View& filter, const char* list, const std::string& header, const std::string& asked,
               EnvoyRoute& route) {
  std::vector<std::string> names;
  for (const std::string_view name : filter.texts(list)) names.emplace_back(name);
  if (names.empty()) return;
  const bool is_any = std::ranges::find(names, "*") != names.end();
  add_answer_header(route, header,
                    is_any && !asked.empty() ? "%REQ(" + asked + ")%" : literal(join(names, ", ")));
}

/// Adds the headers by which an allowed origin may read an answer.
void allow_origin(const View& filter, EnvoyRoute& route) {
  add_answer_header(route, "access-control-allow-origin", "%REQ(ORIGIN)%");
  if (filter.flag("allowCredentials")) add_answer_header(route, "access-control-allow-credentials", "true");
  add_names(filter, "exposeHeaders", "access-control-expose-headers", "", route);
}

/// Adds the header that keeps caches from giving the answer to another origin.
void vary(EnvoyRoute& route) {
  add_answer_header(route, "vary", "Origin", "APPEND_IF_EXISTS_OR_ADD");
}

json::Object by_presence(std::string_view header) {
  return {{"name", header}, {"present_match", true}};
}

/// Returns a route for the preflights of the requests that it matches: these have another method.
EnvoyRoute for_preflights(const EnvoyRoute& route, const View& match) {
  const auto method = match.find_text("method");
  EnvoyRoute preflights = route;
  if (json::Value* headers = preflights.route.at("match").get_object().if_contains("headers")) {
    json::Array& all = headers->get_array();
    all.erase(std::ranges::remove_if(all, [](const json::Value& one) { return one.at("name") == ":method"; })
                  .begin(),
              all.end());
  }
  constexpr std::string_view asked = "access-control-request-method";
  return narrowed(std::move(preflights), {by_text(":method", "OPTIONS"), by_presence("origin"),
                                          method ? by_text(asked, *method) : by_presence(asked)});
}

std::vector<EnvoyRoute> with_origins(std::vector<EnvoyRoute> redirects, const View& filter,
                                     const View& match) {
  std::vector<std::string_view> origins = filter.texts("allowOrigins");
  const std::string allowed = origins_expression(origins);
  EnvoyRoute preflight = for_preflights(redirects.back(), match);
  for (const char* member : {"redirect", "response_headers_to_add", "response_headers_to_remove"})
    preflight.route.erase(member);
  preflight.route["direct_response"] = json::Object{{"status", 200}};
  vary(preflight);
  std::vector<EnvoyRoute> made;
  if (!origins.empty()) {
    EnvoyRoute answered = narrowed(preflight, {by_expression("origin", allowed)});
    allow_origin(filter, answered);
    add_names(filter, "allowMethods", "access-control-allow-methods", "ACCESS-CONTROL-REQUEST-METHOD",
              answered);
    add_names(filter, "allowHeaders", "access-control-allow-headers", "ACCESS-CONTROL-REQUEST-HEADERS",
              answered);
    add_answer_header(answered, "access-control-max-age", std::to_string(filter.integer("maxAge", 5)));
    made.push_back(std::move(answered));
  }
  made.push_back(std::move(preflight));
  for (EnvoyRoute& redirect : redirects) {
    vary(redirect);
    if (!origins.empty()) {
      EnvoyRoute readable = narrowed(redirect, {by_expression("origin", allowed)});
      allow_origin(filter, readable);
      made.push_back(std::move(readable));
    }
    made.push_back(std::move(redirect));
  }
  return made;
}

/// Makes a route try again when a connection is closed, or a stream reset, before an answer has begun.
void retry_closed_connections(EnvoyRoute& route) {
  json::Value& on = route.route.at("route").at("retry_policy").get_object()["retry_on"];
  on = std::string(on.get_string()) + ",reset";
}

std::vector<EnvoyRoute> with_retries(EnvoyRoute route, const View& match) {
  const json::Value* action = route.route.if_contains("route");
  const json::Value* policy = action != nullptr ? action->get_object().if_contains("retry_policy") : nullptr;
  if (policy == nullptr) return {std::move(route)};
  const std::string_view on(policy->get_object().at("retry_on").get_string());
  // A limit for each try: all that is reset is tried again.
  if (on.ends_with(",reset")) return {std::move(route)};
  if (const auto method = match.find_text("method")) {
    const std::string all = "|" + std::string(repeatable_methods) + "|";
    if (all.find("|" + std::string(*method) + "|") != std::string::npos) retry_closed_connections(route);
    return {std::move(route)};
  }
  EnvoyRoute repeatable = narrowed(route, {by_expression(":method", repeatable_methods)});
  retry_closed_connections(repeatable);
  return {std::move(repeatable), std::move(route)};
}

}  // namespace

std::int64_t default_port(std::string_view scheme) {
  return scheme == "https" ? 443 : 80;
}

std::vector<EnvoyRoute> split(EnvoyRoute route, const View& rule, const View& match,
                              std::string_view scheme) {
  const auto filters = rule.items("filters");
  const auto cors =
      std::ranges::find_if(filters, [](const View& filter) { return filter.text("type") == "CORS"; });
  if (route.route.contains("redirect")) {
    std::vector<EnvoyRoute> redirects = with_ports(std::move(route), scheme);
    return cors == filters.end() ? redirects : with_origins(std::move(redirects), cors->at("cors"), match);
  }
  const auto method = match.find_text("method");
  std::vector<EnvoyRoute> made;
  if (cors != filters.end() && route.route.contains("route") && method && *method != "OPTIONS")
    made.push_back(for_preflights(route, match));
  std::ranges::move(with_retries(std::move(route), match), std::back_inserter(made));
  return made;
}

}  // namespace fairway::gateway
