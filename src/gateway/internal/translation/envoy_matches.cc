// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_matches.h"

#include <set>
#include <vector>

#include "base/text.h"
#include "gateway/internal/model/expressions.h"

namespace fairway::gateway {

namespace {

using k8s::View;

json::Object string_match(std::string_view type, std::string_view value) {
  if (type == "RegularExpression") return {{"safe_regex", json::Object{{"regex", value}}}};
  return {{"exact", value}};
}

/// Returns the matches of a list that count: the first one for each name.
std::vector<View> first_of_each(const View& match, std::string_view list, bool ignoring_case) {
  std::set<std::string> names;
  std::vector<View> first;
  for (const View& one : match.items(list)) {
    const std::string name(one.text("name"));
    if (names.insert(ignoring_case ? to_lower(name) : name).second) first.push_back(one);
  }
  return first;
}

void add_header_matches(const View& match, EnvoyRoute& made, json::Array& headers) {
  for (const View& header : first_of_each(match, "headers", true)) {
    ++made.precedence.headers;
    headers.push_back(
        json::Object{{"name", to_lower(header.text("name"))},
                     {"string_match", string_match(header.text("type", "Exact"), header.text("value"))}});
  }
}

EnvoyRoute http_match(const View& match) {
  EnvoyRoute made;
  json::Object out;
  const std::string_view type = match.text("path.type", "PathPrefix"), path = match.text("path.value", "/");
  made.precedence.path_length = path.size();
  if (type == "Exact") {
    made.precedence.path_kind = 2;
    out["path"] = path;
  } else if (type == "RegularExpression") {
    made.precedence.path_kind = 1;
    out["safe_regex"] = json::Object{{"regex", path}};
  } else if (const std::string_view prefix = plain_prefix(path); prefix == "/") {
    out["prefix"] = "/";
  } else {
    made.precedence.path_length = prefix.size();
    out["path_separated_prefix"] = prefix;
  }
  json::Array headers, parameters;
  if (const auto method = match.find_text("method")) {
    made.precedence.method_length = 1;
    headers.push_back(json::Object{{"name", ":method"}, {"string_match", string_match("Exact", *method)}});
  }
  add_header_matches(match, made, headers);
  for (const View& one : first_of_each(match, "queryParams", false)) {
    ++made.precedence.parameters;
    parameters.push_back(
        json::Object{{"name", one.text("name")},
                     {"string_match", string_match(one.text("type", "Exact"), one.text("value"))}});
  }
  if (!headers.empty()) out["headers"] = std::move(headers);
  if (!parameters.empty()) out["query_parameters"] = std::move(parameters);
  made.route["match"] = std::move(out);
  return made;
}

/// Returns the match of a gRPC call, which is a POST to /SERVICE/METHOD.
EnvoyRoute grpc_match(const View& match) {
  EnvoyRoute made;
  json::Object out;
  const View method = match.at("method");
  const std::string_view service = method.text("service"), name = method.text("method");
  made.precedence.path_length = service.size();
  made.precedence.method_length = name.size();
  if (service.empty() && name.empty()) {
    out["prefix"] = "/";
  } else if (!is_matched_by_expression(method)) {
    made.precedence.path_kind = 2;
    if (name.empty()) {
      out["prefix"] = "/" + std::string(service) + "/";
    } else {
      out["path"] = "/" + std::string(service) + "/" + std::string(name);
    }
  } else {
    made.precedence.path_kind = method.text("type", "Exact") == "Exact" ? 2 : 1;
    out["safe_regex"] = json::Object{{"regex", call_expression(method)}};
  }
  json::Array headers;
  add_header_matches(match, made, headers);
  if (!headers.empty()) out["headers"] = std::move(headers);
  made.route["match"] = std::move(out);
  return made;
}

}  // namespace

std::string_view plain_prefix(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

EnvoyRoute matched(RouteKind kind, const View& match) {
  return kind == RouteKind::grpc ? grpc_match(match) : http_match(match);
}

}  // namespace fairway::gateway
