// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_routes.h"

#include <algorithm>

#include "gateway/internal/attachment/rules.h"
#include "gateway/internal/model/expressions.h"
#include "gateway/internal/objects/values.h"
#include "gateway/internal/translation/envoy_headers.h"
#include "gateway/internal/translation/envoy_json.h"
#include "gateway/internal/translation/envoy_settings.h"
#include "gateway/internal/translation/envoy_variants.h"

namespace fairway::gateway {

namespace {

using k8s::View;

/// Returns a text as the substitution of a rewrite, in which a backslash begins a group.
std::string substitution(std::string_view value) {
  std::string out;
  for (const char c : value) out += c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}

void add_headers(const View& modifier, const std::string& prefix, json::Object& owner) {
  json::Array add =
      owner.contains(prefix + "_to_add") ? owner[prefix + "_to_add"].get_array() : json::Array{};
  json::Array remove =
      owner.contains(prefix + "_to_remove") ? owner[prefix + "_to_remove"].get_array() : json::Array{};
  const auto append = [&](const char* list, const char* action) {
    for (const View& header : modifier.items(list)) {
      add.push_back(json::Object{
          {"header", json::Object{{"key", header.text("name")}, {"value", literal(header.text("value"))}}},
          {"append_action", action},
          {"keep_empty_value", true}});
    }
  };
  append("set", "OVERWRITE_IF_EXISTS_OR_ADD");
  append("add", "APPEND_IF_EXISTS_OR_ADD");
  for (const std::string_view name : modifier.texts("remove")) remove.emplace_back(name);
  if (!add.empty()) owner[prefix + "_to_add"] = std::move(add);
  if (!remove.empty()) owner[prefix + "_to_remove"] = std::move(remove);
}

/// Adds the changes of headers by all filters of a rule or of a backend.
void modify_headers(const View& owner, json::Object& out) {
  for (const View& filter : owner.items("filters")) {
    if (filter.text("type") == "RequestHeaderModifier")
      add_headers(filter.at("requestHeaderModifier"), "request_headers", out);
    if (filter.text("type") == "ResponseHeaderModifier")
      add_headers(filter.at("responseHeaderModifier"), "response_headers", out);
  }
}

json::Object redirect(const View& filter, std::string_view prefix, std::string_view scheme,
                      std::int64_t port) {
  json::Object out;
  const auto to = filter.find_text("scheme");
  const std::string_view target = to.value_or(scheme);
  const std::int64_t target_port = filter.integer("port", to ? default_port(target) : port);
  if (to) out["scheme_redirect"] = *to;
  if (target_port != default_port(target)) out["port_redirect"] = target_port;
  if (const auto hostname = filter.find_text("hostname")) out["host_redirect"] = *hostname;
  if (const auto full = filter.find_text("path.replaceFullPath")) {
    out["path_redirect"] = *full;
  } else if (const auto replacement = filter.find_text("path.replacePrefixMatch")) {
    // Of "/a" replaced by "/" must become "/b", not "//b".
    if (prefix == "/") {
      out["prefix_rewrite"] = std::string(plain_prefix(*replacement)) + (replacement->size() > 1 ? "/" : "");
    } else if (plain_prefix(*replacement) == "/" || replacement->empty()) {
      out["regex_rewrite"] = json::Object{
          {"pattern", json::Object{{"regex", removed_prefix_expression(prefix)}}}, {"substitution", "/"}};
    } else {
      out["prefix_rewrite"] = plain_prefix(*replacement);
    }
  }
  const std::int64_t status = filter.integer("statusCode", 302);
  out["response_code"] = status == 301   ? "MOVED_PERMANENTLY"
                         : status == 303 ? "SEE_OTHER"
                         : status == 307 ? "TEMPORARY_REDIRECT"
                         : status == 308 ? "PERMANENT_REDIRECT"
                                         : "FOUND";
  return out;
}

void rewrite(const View& filter, std::string_view prefix, json::Object& action) {
  if (const auto hostname = filter.find_text("hostname")) action["host_rewrite_literal"] = *hostname;
  const auto rewrite_by = [&](const std::string& expression, const std::string& by) {
    action["regex_rewrite"] =
        json::Object{{"pattern", json::Object{{"regex", expression}}}, {"substitution", substitution(by)}};
  };
  if (const auto full = filter.find_text("path.replaceFullPath")) {
    rewrite_by("^/.*$", full->empty() ? "/" : std::string(*full));
  } else if (const auto replacement = filter.find_text("path.replacePrefixMatch")) {
    const std::string by(plain_prefix(*replacement));
    if (by.empty() || by == "/") {
      if (prefix != "/") rewrite_by(removed_prefix_expression(prefix), "/");
    } else {
      action["prefix_rewrite"] = prefix == "/" ? by + "/" : by;
    }
  }
}

json::Array mirrors(const BackendsOf& backends, const View& rule) {
  json::Array out;
  for (const View& filter : rule.items("filters")) {
    if (filter.text("type") != "RequestMirror") continue;
    const View mirror = filter.at("requestMirror");
    const std::string cluster =
        add_cluster(backends, ObjectRef(mirror.at("backendRef").json()), ClusterUse::copies);
    if (cluster.empty()) continue;  // nothing to send copies to
    json::Object one{{"cluster", cluster}};
    keep_headers_of_mirrored(one);
    if (mirror.has("percent") || mirror.has("fraction")) {
      // In millionths, of which Envoy's finest fraction is.
      const std::int64_t share =
          mirror.has("percent") ? mirror.integer("percent") * 10'000
                                : mirror.integer("fraction.numerator") * 1'000'000 /
                                      std::max<std::int64_t>(mirror.integer("fraction.denominator", 100), 1);
      one["runtime_fraction"] =
          json::Object{{"default_value", json::Object{{"numerator", share}, {"denominator", "MILLION"}}}};
    }
    out.push_back(std::move(one));
  }
  return out;
}

bool is_rewrite(const View& filter) {
  return filter.text("type") == "URLRewrite";
}

/// Backends of a rule that one Envoy route leads to.
struct Part {
  std::vector<View> backends;
  /// The share of the rule's requests that this part and those before it get, in millionths, of which Envoy's
  /// finest fraction is.
  std::int64_t share = all_requests;

  static constexpr std::int64_t all_requests = 1'000'000;
};

/// Returns the parts of a rule. Envoy rewrites paths by route, not by cluster: if a backend has a URLRewrite,
/// each backend is a part.
std::vector<Part> parts_of(const View& rule) {
  std::vector<View> counted;
  std::int64_t sum = 0;
  for (const View& backend : rule.items("backendRefs")) {
    const std::int64_t weight = backend.integer("weight", 1);
    if (weight < 1) continue;
    counted.push_back(backend);
    sum += weight;
  }
  const bool is_split = std::ranges::any_of(
      counted, [](const View& backend) { return std::ranges::any_of(backend.items("filters"), is_rewrite); });
  if (!is_split) return {Part{.backends = std::move(counted)}};
  std::vector<Part> parts;
  std::int64_t before = 0;
  for (const View& backend : counted) {
    before += backend.integer("weight", 1);
    parts.push_back({.backends = {backend}, .share = before * Part::all_requests / sum});
  }
  return parts;
}

/// Returns the clusters of a part by weight; empty: it has no backends.
json::Array weighted(const BackendsOf& backends, const Part& part) {
  json::Array out;
  for (const View& backend : part.backends) {
    std::string cluster = add_cluster(backends, ObjectRef(backend.json()));
    if (cluster.empty() || !extensions_of(backend).empty()) cluster = no_cluster;
    json::Object one{{"name", cluster}, {"weight", backend.integer("weight", 1)}};
    modify_headers(backend, one);
    out.push_back(std::move(one));
  }
  return out;
}

/// Makes a route answer with the status for requests that cannot be served. gRPC clients read 503 as
/// UNAVAILABLE.
void answer_with_error(RouteKind kind, json::Object& out) {
  out["direct_response"] = json::Object{{"status", kind == RouteKind::grpc ? 503 : 500}};
}

json::Object forward(const BackendsOf& backends, const View& rule, const Part& part,
                     std::string_view prefix) {
  json::Object action;
  json::Array clusters = weighted(backends, part);
  const bool has_headers = std::ranges::any_of(
      clusters, [](const json::Value& cluster) { return cluster.get_object().size() > 2; });
  if (clusters.empty()) {
    // Filters that answer by themselves, as CORS does, have an effect on this alone.
    action["cluster"] = no_cluster;
  } else if (clusters.size() == 1 && !has_headers) {
    action["cluster"] = clusters[0].get_object()["name"];
  } else {
    action["weighted_clusters"] = json::Object{{"clusters", std::move(clusters)}};
  }
  action["cluster_not_found_response_code"] =
      backends.kind == RouteKind::grpc ? "SERVICE_UNAVAILABLE" : "INTERNAL_SERVER_ERROR";
  const auto rewrite_by = [&](const View& owner) {
    for (const View& filter : owner.items("filters")) {
      if (is_rewrite(filter)) rewrite(filter.at("urlRewrite"), prefix, action);
    }
  };
  rewrite_by(rule);
  for (const View& backend : part.backends) rewrite_by(backend);
  if (json::Array copies = mirrors(backends, rule); !copies.empty())
    action["request_mirror_policies"] = std::move(copies);
  add_times(rule, action);
  return action;
}

/// Returns the routes for the requests that a rule matches: a route that has the match, with the action.
std::vector<EnvoyRoute> with_action(const BackendsOf& backends, const View& rule, std::string_view prefix,
                                    std::string_view scheme, std::int64_t port, EnvoyRoute matching) {
  const auto filters = rule.items("filters");
  // Extensions of the rule itself: what they would have done is not known, so nothing is forwarded.
  if (std::ranges::any_of(filters,
                          [](const View& filter) { return filter.text("type") == "ExtensionRef"; })) {
    answer_with_error(backends.kind, matching.route);
    return {std::move(matching)};
  }
  modify_headers(rule, matching.route);
  const auto found = std::ranges::find_if(
      filters, [](const View& filter) { return filter.text("type") == "RequestRedirect"; });
  if (found != filters.end()) {
    matching.route["redirect"] = redirect(found->at("requestRedirect"), prefix, scheme, port);
    return {std::move(matching)};
  }
  add_filter_settings(rule, matching.route);
  std::vector<EnvoyRoute> made;
  for (const Part& part : parts_of(rule)) {
    EnvoyRoute one = matching;
    // Envoy compares one random number of the request with the fractions of all routes.
    if (part.share < Part::all_requests)
      one.route.at("match").get_object()["runtime_fraction"] = json::Object{
          {"default_value", json::Object{{"numerator", part.share}, {"denominator", "MILLION"}}}};
    json::Object action = forward(backends, rule, part, prefix);
    one.route["route"] = std::move(action);
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace

std::vector<EnvoyRoute> envoy_routes(const BackendsOf& backends, std::string_view scheme, std::int64_t port) {
  std::vector<EnvoyRoute> made;
  const auto rules = backends.route.items("spec.rules");
  static const json::Object everything;
  const auto problems = rule_problems(backends.kind, rules);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (problems[i] && problems[i]->is_of_matches) continue;
    auto matches = rules[i].items("matches");
    if (matches.empty()) matches.emplace_back(everything);
    for (const View& match : matches) {
      EnvoyRoute one = matched(backends.kind, match);
      one.rule = i;
      if (problems[i]) {
        answer_with_error(backends.kind, one.route);
        made.push_back(std::move(one));
        continue;
      }
      for (EnvoyRoute& part : with_action(backends, rules[i], plain_prefix(match.text("path.value", "/")),
                                          scheme, port, std::move(one))) {
        for (EnvoyRoute& variant : split(std::move(part), rules[i], match, scheme))
          made.push_back(std::move(variant));
      }
    }
  }
  return made;
}

}  // namespace fairway::gateway
