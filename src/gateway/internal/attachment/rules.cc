// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "gateway/internal/model/expressions.h"
#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/objects/hostname.h"
#include "gateway/internal/objects/session.h"
#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

namespace {

using k8s::ConditionError;
using k8s::View;

using Fault = std::optional<ConditionError>;

ConditionError unsupported(std::string message) {
  return {"UnsupportedValue", std::move(message)};
}

/// Returns a fault of a value: `matches[0].path.value: "x" is ...`
ConditionError unsupported(const std::string& field, std::string_view value, const std::string& what) {
  return unsupported(field + ": \"" + printable(value) + "\" " + what);
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> values) {
  return std::ranges::find(values, text) != values.end();
}

/// The regular expressions of a route, and the size of their programs. Envoy compiles them all whenever the
/// routes of the port change.
class Expressions {
 public:
  /// Returns the reason why an expression cannot be served; std::nullopt: it can. An expression that the
  /// route has several times counts once.
  std::optional<std::string> problem(const std::string& expression) {
    if (!seen_.contains(expression)) {
      if (size_ >= most)
        return "the expressions of the route have programs of the size " + std::to_string(most) +
               " before it, which is the most that a route may have";
      seen_.insert(expression);
      size_ += judge_expression(expression).size;
    }
    return judge_expression(expression).problem;
  }

 private:
  static constexpr int most = 50 * max_program_size;
  std::set<std::string> seen_;
  int size_ = 0;
};

/// The facts about a rule on which the values of its filters depend.
struct RuleFacts {
  /// True if the rule has exactly one match, and that a path prefix.
  bool has_one_prefix = false;
  Expressions& expressions;
};

/// Checks a value that is matched exactly or as a regular expression.
Fault match_value(const View& match, const std::string& field, Expressions& expressions) {
  const std::string_view type = match.text("type", "Exact");
  if (!is_one_of(type, {"Exact", "RegularExpression"}))
    return unsupported(field + ".type", type, "is not known");
  if (type == "RegularExpression") {
    if (auto problem = expressions.problem(std::string(match.text("value"))))
      return unsupported(field + ".value", match.text("value"), "is not taken: " + *problem);
  }
  return std::nullopt;
}

/// Returns whether a header is that by which Envoy chooses among the shards of a port's routes. Clients
/// cannot send it, and backends do not see it.
bool is_header_of_shards(std::string_view name) {
  return equals_ignoring_case(name, shard_header);
}

Fault header_match(const View& match, const std::string& field, Expressions& expressions) {
  if (!is_header_name(match.text("name")))
    return unsupported(field + ".name", match.text("name"), "is no header's name");
  if (is_header_of_shards(match.text("name")))
    return unsupported(field + ".name", match.text("name"), "is a header that no client can send");
  if (!is_header_value(match.text("value")))
    return unsupported(field + ".value", match.text("value"), "is no header's value");
  return match_value(match, field, expressions);
}

Fault path_match(const View& path, const std::string& field, Expressions& expressions) {
  const std::string_view type = path.text("type", "PathPrefix"), value = path.text("value", "/");
  if (type == "RegularExpression") {
    if (auto problem = expressions.problem(std::string(value)))
      return unsupported(field + ".value", value, "is not taken: " + *problem);
    return std::nullopt;
  }
  if (!is_one_of(type, {"Exact", "PathPrefix"})) return unsupported(field + ".type", type, "is not known");
  if (!is_path(value)) return unsupported(field + ".value", value, "is no absolute path in its plain form");
  return std::nullopt;
}

Fault grpc_method(const View& method, const std::string& field, Expressions& expressions) {
  const std::string_view type = method.text("type", "Exact");
  if (!is_one_of(type, {"Exact", "RegularExpression"}))
    return unsupported(field + ".type", type, "is not known");
  for (const char* part : {"service", "method"}) {
    const auto value = method.find_text(part);
    if (!value || value->empty()) continue;
    const std::string where = field + "." + part;
    if (type == "RegularExpression") {
      // By itself, too: two parts that are none may make one together.
      if (auto problem = expressions.problem(std::string(*value)))
        return unsupported(where, *value, "is not taken: " + *problem);
    } else if (!is_path("/" + std::string(*value)) || value->find('/') != std::string_view::npos) {
      return unsupported(where, *value, "is no name of a gRPC service or method");
    }
  }
  if (is_matched_by_expression(method)) {
    if (auto problem = expressions.problem(call_expression(method)))
      return unsupported(field + ": the expression of service and method together is not taken: " + *problem);
  }
  return std::nullopt;
}

Fault match_problem(RouteKind kind, const View& match, const std::string& field, Expressions& expressions) {
  if (kind == RouteKind::http) {
    if (auto fault = path_match(match.at("path"), field + ".path", expressions)) return fault;
    const auto method = match.find_text("method");
    if (method &&
        !is_one_of(*method, {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}))
      return unsupported(field + ".method", *method, "is not known");
    const auto parameters = match.items("queryParams");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string where = field + ".queryParams[" + std::to_string(i) + "]";
      constexpr std::size_t longest = 1024;  // of Envoy's schema
      const std::string_view name = parameters[i].text("name");
      if (name.empty() || name.size() > longest || !is_header_value(name))
        return unsupported(where + ".name", name, "is no name");
      if (auto fault = match_value(parameters[i], where, expressions)) return fault;
    }
  } else if (auto fault = grpc_method(match.at("method"), field + ".method", expressions)) {
    return fault;
  }
  const auto headers = match.items("headers");
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (auto fault = header_match(headers[i], field + ".headers[" + std::to_string(i) + "]", expressions))
      return fault;
  }
  return std::nullopt;
}

/// Limits of Envoy's schema for the headers that a filter writes: bytes of a value, and number of headers.
constexpr std::size_t longest_header_value = 16 * 1024, most_headers = 1000;

Fault header_modifier(const View& modifier, const std::string& field) {
  // Envoy refuses a configuration that changes Host.
  const auto is_fixed = [](std::string_view name) {
    return !is_header_name(name) || equals_ignoring_case(name, "host") || is_header_of_shards(name);
  };
  for (const char* list : {"set", "add"}) {
    for (const View& header : modifier.items(list)) {
      const std::string where = field + "." + list;
      if (is_fixed(header.text("name")))
        return unsupported(where, header.text("name"), "is no header that can be changed");
      if (!is_header_value(header.text("value")))
        return unsupported(where, header.text("value"), "is no header's value");
      if (literal(header.text("value")).size() > longest_header_value)
        return unsupported(where + ": the value of " + printable(header.text("name")) + " is longer than " +
                           std::to_string(longest_header_value) +
                           " bytes, which is the most that Envoy takes, and in which each % counts twice");
    }
  }
  if (const std::size_t count = modifier.items("set").size() + modifier.items("add").size();
      count > most_headers)
    return unsupported(field + ": it writes " + std::to_string(count) + " headers, and " +
                       std::to_string(most_headers) + " are the most that Envoy takes");
  for (const std::string_view name : modifier.texts("remove")) {
    if (is_fixed(name)) return unsupported(field + ".remove", name, "is no header that can be removed");
  }
  return std::nullopt;
}

Fault path_modifier(const View& path, const std::string& field, const RuleFacts& rule) {
  const std::string_view type = path.text("type");
  if (type == "ReplaceFullPath" || type == "ReplacePrefixMatch") {
    const std::string member = type == "ReplaceFullPath" ? "replaceFullPath" : "replacePrefixMatch";
    const auto value = path.find_text(member);
    if (!value) return unsupported(field + ": " + member + " is missing");
    if (!is_replacement_path(*value)) return unsupported(field + "." + member, *value, "is no path");
    if (type == "ReplacePrefixMatch" && !rule.has_one_prefix)
      return unsupported(field + ": ReplacePrefixMatch needs exactly one match, and that of a path prefix");
    return std::nullopt;
  }
  return unsupported(field + ".type", type, "is not known");
}

Fault redirect(const View& filter, const std::string& field, const RuleFacts& rule) {
  const auto scheme = filter.find_text("scheme"), hostname = filter.find_text("hostname");
  if (scheme && !is_one_of(*scheme, {"http", "https"}))
    return unsupported(field + ".scheme", *scheme, "is not known");
  if (hostname && !is_hostname(*hostname, false))
    return unsupported(field + ".hostname", *hostname, "is no hostname");
  const std::int64_t status = filter.integer("statusCode", 302), port = filter.integer("port", 80);
  if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308)
    return unsupported(field + ".statusCode: " + std::to_string(status) + " is no redirect");
  if (port < 1 || port > 65535) return unsupported(field + ".port: " + std::to_string(port) + " is no port");
  if (filter.has("path")) return path_modifier(filter.at("path"), field + ".path", rule);
  return std::nullopt;
}

Fault rewrite(const View& filter, const std::string& field, const RuleFacts& rule) {
  const auto hostname = filter.find_text("hostname");
  if (hostname && !is_hostname(*hostname, false))
    return unsupported(field + ".hostname", *hostname, "is no hostname");
  if (filter.has("path")) return path_modifier(filter.at("path"), field + ".path", rule);
  return std::nullopt;
}

Fault mirror(const View& filter, const std::string& field) {
  if (filter.has("percent") && filter.has("fraction"))
    return unsupported(field + ": percent and fraction exclude each other");
  const std::int64_t percent = filter.integer("percent", 100);
  const std::int64_t numerator = filter.integer("fraction.numerator");
  const std::int64_t denominator = filter.integer("fraction.denominator", 100);
  constexpr std::int64_t greatest = 2'147'483'647;  // the API's integers have 32 bits
  if (percent < 0 || percent > 100 || numerator < 0 || denominator < 1 || numerator > denominator ||
      denominator > greatest)
    return unsupported(field + ": the share is not between none and all");
  return std::nullopt;
}

Fault cors(const View& filter, const std::string& field, Expressions& expressions) {
  for (const std::string_view origin : filter.texts("allowOrigins")) {
    if (!is_header_value(origin) ||
        (origin != "*" && !origin.starts_with("http://") && !origin.starts_with("https://")))
      return unsupported(field + ".allowOrigins", origin, "is no origin");
    if (origin == "*" || origin.find('*') == std::string_view::npos) continue;
    if (auto problem = expressions.problem(origin_expression(origin)))
      return unsupported(field + ".allowOrigins", origin, "is not taken: " + *problem);
  }
  for (const char* list : {"allowMethods", "allowHeaders", "exposeHeaders"}) {
    for (const std::string_view name : filter.texts(list)) {
      if (!is_header_name(name)) return unsupported(field + "." + list, name, "is no name");
    }
  }
  const auto exposed = filter.texts("exposeHeaders");
  // Beside credentials browsers take it for the name of a header.
  if (filter.flag("allowCredentials") && std::ranges::find(exposed, "*") != exposed.end())
    return unsupported(field + ".exposeHeaders", "*",
                       "exposes nothing beside allowCredentials; name the headers");
  if (filter.integer("maxAge", 5) < 1) return unsupported(field + ".maxAge: it must be at least 1");
  return std::nullopt;
}

Fault filter_problem(RouteKind kind, const View& filter, const std::string& field, const RuleFacts& rule) {
  struct FilterType {
    std::string_view name, member;
    bool of_grpc;
  };
  static constexpr auto types = std::to_array<FilterType>({
      {"RequestHeaderModifier", "requestHeaderModifier", true},
      {"ResponseHeaderModifier", "responseHeaderModifier", true},
      {"RequestMirror", "requestMirror", true},
      {"ExtensionRef", "extensionRef", true},
      {"RequestRedirect", "requestRedirect", false},
      {"URLRewrite", "urlRewrite", false},
      {"CORS", "cors", false},
  });
  const std::string_view name = filter.text("type");
  const auto type = std::ranges::find(types, name, &FilterType::name);
  if (type == types.end() || (kind == RouteKind::grpc && !type->of_grpc))
    return unsupported(field + ".type", name, "is not supported");
  if (!filter.has(type->member)) return unsupported(field + ": " + std::string(type->member) + " is missing");
  const View settings = filter.at(type->member);
  const std::string where = field + "." + std::string(type->member);
  if (name == "RequestRedirect") return redirect(settings, where, rule);
  if (name == "URLRewrite") return rewrite(settings, where, rule);
  if (name == "RequestMirror") return mirror(settings, where);
  if (name == "CORS") return cors(settings, where, rule.expressions);
  if (name == "ExtensionRef") return std::nullopt;
  return header_modifier(settings, where);
}

/// Checks the filters of a rule, or of one of its backends.
Fault filters_problem(RouteKind kind, const View& owner, const std::string& field, const RuleFacts& rule) {
  std::map<std::string_view, int> counts;
  const auto filters = owner.items("filters");
  for (const View& filter : filters) ++counts[filter.text("type")];
  if (counts.contains("RequestRedirect") && counts.contains("URLRewrite")) {
    return ConditionError{"IncompatibleFilters",
                          field + ": RequestRedirect and URLRewrite exclude each other"};
  }
  if (counts.contains("RequestRedirect")) {
    // A redirect forwards nothing that could be changed or copied.
    for (const char* type : {"RequestMirror", "RequestHeaderModifier"}) {
      if (counts.contains(type))
        return ConditionError{
            "IncompatibleFilters",
            field + ": " + type + " has no effect beside RequestRedirect, which forwards no request"};
    }
  }
  for (const auto& [type, count] : counts) {
    if (count > 1 && type != "RequestMirror" && type != "ExtensionRef")
      return ConditionError{"IncompatibleFilters",
                            field + ": " + printable(type) + " is there more than once"};
  }
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::string where = field + "[" + std::to_string(i) + "]";
    if (auto fault = filter_problem(kind, filters[i], where, rule)) return fault;
  }
  if (counts.contains("RequestRedirect") && counts.contains("CORS")) {
    const auto with_cors =
        std::ranges::find_if(filters, [](const View& filter) { return filter.text("type") == "CORS"; });
    const auto origins = with_cors->texts("cors.allowOrigins");
    // All of them are one expression there.
    if (!origins.empty()) {
      if (auto problem = rule.expressions.problem(origins_expression(origins)))
        return unsupported(field +
                           ": the allowOrigins together are not taken beside a redirect: " + *problem);
    }
  }
  return std::nullopt;
}

Fault durations_problem(const View& rule) {
  std::map<std::string, std::chrono::milliseconds> read;
  for (const char* field : {"timeouts.request", "timeouts.backendRequest", "retry.backoff",
                            "sessionPersistence.absoluteTimeout"}) {
    const auto text = rule.find_text(field);
    if (!text) continue;
    const auto duration = read_duration(*text);
    if (!duration) return unsupported(field, *text, "is no duration such as 1m30s");
    read[field] = *duration;
  }
  const auto request = read.find("timeouts.request"), backend = read.find("timeouts.backendRequest");
  if (request != read.end() && backend != read.end() && request->second.count() > 0 &&
      backend->second > request->second)
    return unsupported("timeouts: backendRequest is longer than request");
  return std::nullopt;
}

Fault retry_problem(const View& retry) {
  const std::int64_t attempts = retry.integer("attempts", 1);
  constexpr std::int64_t most = 4'294'967'295;  // Envoy counts them in 32 bits
  if (attempts < 0 || attempts > most)
    return unsupported("retry.attempts: " + std::to_string(attempts) + " is not between 0 and " +
                       std::to_string(most));
  if (const json::Value* codes = retry.find("codes"); codes != nullptr && codes->is_array()) {
    for (const json::Value& code : codes->get_array()) {
      if (!code.is_int64() || code.get_int64() < 400 || code.get_int64() > 599)
        return unsupported("retry.codes: " + json::to_text(code) + " is no status of an error");
    }
  }
  return std::nullopt;
}

Fault session_problem(const SessionPersistence& session) {
  const std::string_view type = session.type();
  const std::string of = "sessionPersistence.";
  if (!is_one_of(type, {"Cookie", "Header"})) return unsupported(of + "type", type, "is not known");
  const auto name = session.name();
  if (name && !is_header_name(*name))
    return unsupported(of + std::string(session.name_field()), *name, "is no name");
  if (name && is_header_of_shards(*name))
    return unsupported(of + std::string(session.name_field()), *name, "is a header that no client can send");
  // A semicolon would end it, and begin an attribute of the cookie (RFC 6265, 4.1.1).
  if (const std::string_view path = session.cookie_path();
      !is_path(path) || path.find(';') != std::string_view::npos)
    return unsupported(of + "cookie.path", path, "is no absolute path in its plain form, without semicolons");
  if (const char* other = session.is_of_header() ? "cookie" : "header"; session.has(other))
    return unsupported(of + other + ": sessions of the type " + std::string(type) + " have none");
  if (session.has("idleTimeout")) return unsupported(of + "idleTimeout: Envoy's sessions have none");
  const std::string_view lifetime = session.lifetime();
  if (!is_one_of(lifetime, {"Session", "Permanent"}))
    return unsupported(of + std::string(session.lifetime_field()), lifetime, "is not known");
  if (lifetime == "Permanent" && !session.has("absoluteTimeout"))
    return unsupported("sessionPersistence: a permanent cookie needs an absoluteTimeout");
  // Envoy ends no session by itself: the only end is that of a cookie that the client drops.
  if (session.has("absoluteTimeout") && (type == "Header" || lifetime != "Permanent"))
    return unsupported("sessionPersistence.absoluteTimeout: it is supported only for a permanent cookie");
  return std::nullopt;
}

/// Returns whether a rule, or a backend, has a URLRewrite of the hostname or of the path.
bool rewrites(const View& owner, std::string_view part) {
  const auto filters = owner.items("filters");
  return std::ranges::any_of(filters, [&](const View& filter) {
    return filter.text("type") == "URLRewrite" && filter.at("urlRewrite").has(part);
  });
}

/// Checks that Envoy can apply the filters of a backend to that backend alone, beside those of its rule.
Fault backend_filters_problem(const View& rule, const View& backend, const std::string& field) {
  const auto filters = backend.items("filters");
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::string_view type = filters[i].text("type");
    if (!is_one_of(type, {"RequestHeaderModifier", "ResponseHeaderModifier", "URLRewrite", "ExtensionRef"}))
      return unsupported(field + "[" + std::to_string(i) + "].type", type,
                         "is not supported for a backend, only for a rule");
  }
  const auto rule_filters = rule.items("filters");
  const bool is_mirrored = std::ranges::any_of(
      rule_filters, [](const View& filter) { return filter.text("type") == "RequestMirror"; });
  for (const char* part : {"hostname", "path"}) {
    // Envoy copies the request when the backend is chosen and the request rewritten for it.
    if (is_mirrored && rewrites(backend, part))
      return unsupported(field +
                         ": URLRewrite of a backend would change what the rule's RequestMirror copies");
    if (rewrites(rule, part) && rewrites(backend, part))
      return ConditionError{"IncompatibleFilters", field + ": URLRewrite of the " + part +
                                                       " is there for the rule and for the backend"};
  }
  return std::nullopt;
}

/// Counts the backends that get requests.
std::ptrdiff_t counted_backends(const View& rule) {
  const auto backends = rule.items("backendRefs");
  return std::ranges::count_if(backends, [](const View& one) { return one.integer("weight", 1) > 0; });
}

Fault weights_problem(const View& rule) {
  const auto backends = rule.items("backendRefs");
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const std::int64_t weight = backends[i].integer("weight", 1);
    if (weight < 0 || weight > 1'000'000)
      return unsupported("backendRefs[" + std::to_string(i) + "].weight: " + std::to_string(weight) +
                         " is not between 0 and 1000000");
    sum += weight;
  }
  constexpr std::int64_t heaviest = 4'294'967'295;  // Envoy adds weights up in 32 bits
  if (sum > heaviest)
    return unsupported("backendRefs: the sum of their weights is over " + std::to_string(heaviest));
  return std::nullopt;
}

Fault matches_problem(RouteKind kind, const std::vector<View>& matches, Expressions& expressions) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (auto fault = match_problem(kind, matches[i], "matches[" + std::to_string(i) + "]", expressions))
      return fault;
  }
  return std::nullopt;
}

/// Checks all of a rule but its matches, on which some of its filters depend.
Fault action_problem(RouteKind kind, const View& rule, const std::vector<View>& matches,
                     Expressions& expressions) {
  const RuleFacts facts{
      .has_one_prefix = matches.empty() ||
                        (matches.size() == 1 && matches[0].text("path.type", "PathPrefix") == "PathPrefix"),
      .expressions = expressions};
  if (auto fault = filters_problem(kind, rule, "filters", facts)) return fault;
  if (auto fault = weights_problem(rule)) return fault;
  const auto backends = rule.items("backendRefs");
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const std::string field = "backendRefs[" + std::to_string(i) + "].filters";
    if (auto fault = filters_problem(kind, backends[i], field, facts)) return fault;
    if (auto fault = backend_filters_problem(rule, backends[i], field)) return fault;
  }
  const auto redirects = [](const View& filter) { return filter.text("type") == "RequestRedirect"; };
  if (!backends.empty() && std::ranges::any_of(rule.items("filters"), redirects))
    return unsupported("filters: a rule that redirects has no use for backendRefs");
  const auto copies = [](const View& filter) { return filter.text("type") == "RequestMirror"; };
  if (counted_backends(rule) == 0 && std::ranges::any_of(rule.items("filters"), copies))
    return unsupported(
        "filters: RequestMirror copies nothing in a rule without a backend that gets requests");
  if (auto fault = durations_problem(rule)) return fault;
  if (auto fault = retry_problem(rule.at("retry"))) return fault;
  if (auto fault = session_problem(SessionPersistence(rule.at("sessionPersistence").json()))) return fault;
  // Envoy keeps a session with an endpoint, and chooses among backends anew for each request.
  if (rule.has("sessionPersistence") && counted_backends(rule) > 1)
    return unsupported("sessionPersistence: it is not supported with several backends");
  return std::nullopt;
}

Fault connections_problem(const View& rule, std::size_t index) {
  if (index > 0)
    return unsupported("connections have nothing to tell rules apart by: the first is for all of them");
  return weights_problem(rule);
}

}  // namespace

std::string rule_name(const View& rule, std::size_t index) {
  const std::string number = "rule " + std::to_string(index + 1);
  const std::string_view name = rule.text("name");
  return name.empty() ? number : number + " (" + printable(name) + ")";
}

std::vector<std::optional<RuleProblem>> rule_problems(RouteKind kind, const std::vector<View>& rules) {
  std::vector<std::optional<RuleProblem>> problems(rules.size());
  Expressions expressions;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Fault fault;
    bool is_of_matches = false;
    if (is_http(kind)) {
      const auto matches = rules[i].items("matches");
      fault = matches_problem(kind, matches, expressions);
      is_of_matches = fault.has_value();
      if (!fault) fault = action_problem(kind, rules[i], matches, expressions);
    } else {
      fault = connections_problem(rules[i], i);
    }
    if (!fault) continue;
    fault->message = rule_name(rules[i], i) + ": " + fault->message;
    problems[i] = {.error = *std::move(fault), .is_of_matches = is_of_matches};
  }
  return problems;
}

std::optional<ConditionError> hostnames_problem(const std::vector<std::string>& hostnames) {
  for (const std::string& hostname : hostnames) {
    if (!is_hostname(hostname, true))
      return ConditionError{"UnsupportedValue", "hostnames: \"" + printable(hostname) + "\" is no hostname"};
  }
  return std::nullopt;
}

std::vector<ObjectRef> backends_of(const View& rule) {
  std::vector<ObjectRef> found = rule.items<ObjectRef>("backendRefs");
  const auto add_mirrors = [&](const View& owner) {
    for (const View& filter : owner.items("filters")) {
      if (filter.text("type") == "RequestMirror" && filter.has("requestMirror.backendRef"))
        found.emplace_back(filter.at("requestMirror.backendRef").json());
    }
  };
  add_mirrors(rule);
  for (const View& backend : rule.items("backendRefs")) add_mirrors(backend);
  return found;
}

std::vector<ObjectRef> extensions_of(const View& rule) {
  std::vector<ObjectRef> found;
  const auto add = [&](const View& owner) {
    for (const View& filter : owner.items("filters")) {
      if (filter.text("type") == "ExtensionRef") found.emplace_back(filter.at("extensionRef").json());
    }
  };
  add(rule);
  for (const View& backend : rule.items("backendRefs")) add(backend);
  return found;
}

}  // namespace fairway::gateway
