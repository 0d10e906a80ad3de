#include "gateway/internal/envoy_routes.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "gateway/internal/envoy_clusters.h"
#include "gateway/internal/rules.h"
#include "gateway/internal/values.h"

namespace fairway::gateway {

namespace {

using k8s::View;

/// A cluster that is never there: requests to it are answered with 500.
constexpr std::string_view no_cluster = "fairway/no-backend";

json::Object string_match(std::string_view type, std::string_view value) {
  if (type == "RegularExpression") return {{"safe_regex", json::Object{{"regex", value}}}};
  return {{"exact", value}};
}

/// The prefix without a slash at its end, which means the same.
std::string_view plain_prefix(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

/// The matches of a list that count: of several for one name the first.
std::vector<View> first_of_each(const View& match, std::string_view list, bool ignoring_case) {
  std::set<std::string> names;
  std::vector<View> first;
  for (const View& one : match.items(list)) {
    const std::string name(one.text("name"));
    if (names.insert(ignoring_case ? to_lower(name) : name).second) first.push_back(one);
  }
  return first;
}

EnvoyRoute matched(const View& match) {
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
    made.precedence.has_method = true;
    headers.push_back(json::Object{{"name", ":method"}, {"string_match", string_match("Exact", *method)}});
  }
  for (const View& header : first_of_each(match, "headers", true)) {
    ++made.precedence.headers;
    headers.push_back(
        json::Object{{"name", to_lower(header.text("name"))},
                     {"string_match", string_match(header.text("type", "Exact"), header.text("value"))}});
  }
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

/// Envoy reads % as the beginning of a command.
std::string literal(std::string_view value) {
  std::string out;
  for (const char c : value) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

/// The substitution of a rewrite, in which a backslash begins a group.
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

/// What all filters of a rule or of a backend do to headers.
void modify_headers(const View& owner, json::Object& out) {
  for (const View& filter : owner.items("filters")) {
    if (filter.text("type") == "RequestHeaderModifier")
      add_headers(filter.at("requestHeaderModifier"), "request_headers", out);
    if (filter.text("type") == "ResponseHeaderModifier")
      add_headers(filter.at("responseHeaderModifier"), "response_headers", out);
  }
}

std::int64_t default_port(std::string_view scheme) {
  return scheme == "https" ? 443 : 80;
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
      out["regex_rewrite"] =
          json::Object{{"pattern", json::Object{{"regex", "^" + RE2::QuoteMeta(std::string(prefix)) + "/*"}}},
                       {"substitution", "/"}};
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
      if (prefix != "/") rewrite_by("^" + RE2::QuoteMeta(std::string(prefix)) + "/*", "/");
    } else {
      action["prefix_rewrite"] = prefix == "/" ? by + "/" : by;
    }
  }
}

json::Array mirrors(const Objects& objects, const RouteState& route, const View& rule,
                    std::map<std::string, json::Object>& clusters) {
  json::Array out;
  for (const View& filter : rule.items("filters")) {
    if (filter.text("type") != "RequestMirror") continue;
    const View mirror = filter.at("requestMirror");
    const ObjectRef ref(mirror.at("backendRef").json());
    const std::string cluster =
        add_cluster(objects, route.kind, route.object->namespace_name(), ref, clusters);
    if (cluster.empty()) continue;  // nothing to send copies to
    json::Object one{{"cluster", cluster}};
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

/// The clusters of a rule by weight; a rule without any that counts has none.
json::Array weighted(const Objects& objects, const RouteState& route, const View& rule,
                     std::map<std::string, json::Object>& clusters) {
  json::Array out;
  for (const View& backend : rule.items("backendRefs")) {
    const std::int64_t weight = backend.integer("weight", 1);
    if (weight < 1) continue;
    const ObjectRef ref(backend.json());
    std::string cluster = add_cluster(objects, route.kind, route.object->namespace_name(), ref, clusters);
    if (cluster.empty() || !extensions_of(backend).empty()) cluster = no_cluster;
    json::Object one{{"name", cluster}, {"weight", weight}};
    modify_headers(backend, one);
    out.push_back(std::move(one));
  }
  return out;
}

json::Object forward(const Objects& objects, const RouteState& route, const View& rule,
                     std::string_view prefix, std::map<std::string, json::Object>& clusters) {
  json::Object action;
  json::Array backends = weighted(objects, route, rule, clusters);
  const bool has_headers = std::ranges::any_of(
      backends, [](const json::Value& backend) { return backend.get_object().size() > 2; });
  if (backends.size() == 1 && !has_headers) {
    action["cluster"] = backends[0].get_object()["name"];
  } else {
    action["weighted_clusters"] = json::Object{{"clusters", std::move(backends)}};
  }
  action["cluster_not_found_response_code"] = "INTERNAL_SERVER_ERROR";
  for (const View& filter : rule.items("filters")) {
    if (filter.text("type") == "URLRewrite") rewrite(filter.at("urlRewrite"), prefix, action);
  }
  if (json::Array copies = mirrors(objects, route, rule, clusters); !copies.empty())
    action["request_mirror_policies"] = std::move(copies);
  const auto seconds = [](std::chrono::milliseconds time) {
    const std::string rest = std::to_string(1000 + time.count() % 1000);
    return std::to_string(time.count() / 1000) + "." + rest.substr(1) + "s";
  };
  const auto request = read_duration(rule.text("timeouts.request"));
  const auto backend = read_duration(rule.text("timeouts.backendRequest"));
  // Without a retry the whole request takes as long as its only try.
  if (backend && backend->count() > 0 && (!request || request->count() == 0 || *backend < *request)) {
    action["timeout"] = seconds(*backend);
  } else if (request) {
    action["timeout"] = seconds(*request);
  }
  return action;
}

/// What a rule does with the requests that it matches.
void add_action(const Objects& objects, const RouteState& route, const View& rule, std::string_view prefix,
                std::string_view scheme, std::int64_t port, json::Object& out,
                std::map<std::string, json::Object>& clusters) {
  const auto filters = rule.items("filters");
  const auto fails = [&] { out["direct_response"] = json::Object{{"status", 500}}; };
  // Extensions of the rule itself: what they would have done is not known, so nothing is forwarded.
  if (std::ranges::any_of(filters, [](const View& filter) { return filter.text("type") == "ExtensionRef"; }))
    return fails();
  modify_headers(rule, out);
  const auto found = std::ranges::find_if(
      filters, [](const View& filter) { return filter.text("type") == "RequestRedirect"; });
  if (found != filters.end()) {
    out["redirect"] = redirect(found->at("requestRedirect"), prefix, scheme, port);
    return;
  }
  json::Object action = forward(objects, route, rule, prefix, clusters);
  const json::Value* list = action.if_contains("weighted_clusters");
  if (list != nullptr && list->get_object().at("clusters").get_array().empty()) return fails();
  out["route"] = std::move(action);
}

}  // namespace

std::vector<EnvoyRoute> envoy_routes(const Objects& objects, const RouteState& route, std::string_view scheme,
                                     std::int64_t port, std::map<std::string, json::Object>& clusters) {
  std::vector<EnvoyRoute> made;
  const auto rules = route.object->items("spec.rules");
  static const json::Object everything;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rule_problem(route.kind, rules[i], rule_name(rules[i], i))) continue;
    auto matches = rules[i].items("matches");
    if (matches.empty()) matches.emplace_back(everything);
    for (const View& match : matches) {
      EnvoyRoute one = matched(match);
      add_action(objects, route, rules[i], plain_prefix(match.text("path.value", "/")), scheme, port,
                 one.route, clusters);
      made.push_back(std::move(one));
    }
  }
  return made;
}

}  // namespace fairway::gateway
