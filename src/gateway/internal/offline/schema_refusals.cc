// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/offline/schema_refusals.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <tuple>

#include "base/text.h"
#include "gateway/internal/attachment/rules.h"
#include "gateway/internal/objects/api.h"
#include "gateway/internal/objects/hostname.h"
#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

namespace {

using k8s::View;
using Refusals = std::vector<std::string>;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> values) {
  return std::ranges::find(values, text) != values.end();
}

/// Limits of the schema for the length of a list of an object, of a rule, or of another part.
struct ListLimit {
  std::string_view path;
  std::size_t least, most;
};

void check_lists(const View& owner, std::span<const ListLimit> limits, const std::string& what,
                 Refusals& out) {
  for (const ListLimit& limit : limits) {
    const json::Value* list = owner.find(limit.path);
    const std::size_t size = list != nullptr && list->is_array() ? list->get_array().size() : 0;
    if (size > limit.most) {
      out.push_back(what + "there are " + std::to_string(size) + " " + std::string(limit.path) + ", and " +
                    std::to_string(limit.most) + " are the most");
    } else if (size < limit.least) {
      out.push_back(what + "there must be " + std::string(limit.path));
    }
  }
}

void check_listeners(const k8s::Dynamic& object, Refusals& out) {
  static constexpr auto limits =
      std::to_array<ListLimit>({{"spec.listeners", 1, 64}, {"spec.addresses", 0, 16}});
  check_lists(object, limits, "", out);
  std::set<std::string_view> names;
  std::set<std::tuple<std::int64_t, std::string_view, std::string_view>> places;
  for (const ListenerSpec& listener : object.items<ListenerSpec>("spec.listeners")) {
    const std::string what = "listener " + printable(listener.name()) + ": ";
    const std::string_view protocol = listener.protocol();
    if (!names.insert(listener.name()).second) out.push_back(what + "its name is not unique");
    if (!places.emplace(listener.port(), protocol, listener.hostname()).second)
      out.push_back(what + "another has the same port, protocol and hostname");
    if (listener.port() < 1 || listener.port() > 65535) out.push_back(what + "its port is none");
    if (!listener.hostname().empty() && !is_hostname(listener.hostname(), true))
      out.push_back(what + "its hostname is none");
    if (is_one_of(protocol, {"HTTP", "TCP", "UDP"}) && listener.has_tls())
      out.push_back(what + printable(protocol) + " has no tls");
    if (is_one_of(protocol, {"TCP", "UDP"}) && !listener.hostname().empty())
      out.push_back(what + printable(protocol) + " has no hostname");
    if (protocol == "TLS" && !listener.has("tls.mode")) out.push_back(what + "TLS needs a tls.mode");
    if (protocol == "HTTPS" && listener.tls_mode() != "Terminate")
      out.push_back(what + "the tls mode of HTTPS is Terminate");
    if (listener.has_tls() && listener.tls_mode() == "Terminate" && listener.certificates().empty() &&
        !listener.has("tls.options"))
      out.push_back(what + "Terminate needs certificateRefs or options");
  }
}

/// Checks the headers that a filter writes and removes.
void check_headers(const View& modifier, const std::string& what, Refusals& out) {
  static constexpr auto limits =
      std::to_array<ListLimit>({{"set", 0, 16}, {"add", 0, 16}, {"remove", 0, 16}});
  constexpr std::size_t longest_name = 256, longest_value = 4096;
  check_lists(modifier, limits, what, out);
  for (const char* list : {"set", "add"}) {
    for (const View& header : modifier.items(list)) {
      const std::string_view name = header.text("name"), value = header.text("value");
      if (name.size() > longest_name || !is_header_name(name))
        out.push_back(what + "\"" + printable(name) + "\" is no header's name");
      if (value.empty() || value.size() > longest_value)
        out.push_back(what + "the value of " + printable(name) + " does not have 1 to 4096 bytes");
    }
  }
}

void check_filters(const View& owner, const std::string& what, Refusals& out) {
  std::multiset<std::string_view> types;
  for (const View& filter : owner.items("filters")) {
    const std::string_view type = filter.text("type");
    types.insert(type);
    for (const char* member : {"requestHeaderModifier", "responseHeaderModifier"})
      check_headers(filter.at(member), what, out);
    if (!is_one_of(type, {"RequestHeaderModifier", "ResponseHeaderModifier", "RequestMirror",
                          "RequestRedirect", "URLRewrite", "CORS", "ExternalAuth", "ExtensionRef"}))
      out.push_back(what + "the filter type \"" + printable(type) + "\" is not known");
  }
  if (types.contains("RequestRedirect") && types.contains("URLRewrite"))
    out.push_back(what + "RequestRedirect and URLRewrite exclude each other");
  for (const char* type :
       {"RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite", "CORS"}) {
    if (types.count(type) > 1) out.push_back(what + type + " is there more than once");
  }
}

void check_durations(const View& rule, const std::string& what, Refusals& out) {
  for (const char* field : {"timeouts.request", "timeouts.backendRequest", "retry.backoff",
                            "sessionPersistence.absoluteTimeout", "sessionPersistence.idleTimeout"}) {
    const auto text = rule.find_text(field);
    if (text && !read_duration(*text))
      out.push_back(what + field + ": \"" + printable(*text) + "\" is no duration");
  }
}

/// Checks a rule of an HTTPRoute or a GRPCRoute.
void check_rule(const View& rule, const std::string& what, Refusals& out) {
  static constexpr auto limits =
      std::to_array<ListLimit>({{"matches", 0, 64}, {"filters", 0, 16}, {"backendRefs", 0, 16}});
  static constexpr auto of_match = std::to_array<ListLimit>({{"headers", 0, 16}, {"queryParams", 0, 16}});
  constexpr std::size_t longest_value = 4096;
  check_lists(rule, limits, what, out);
  check_durations(rule, what, out);
  for (const View& match : rule.items("matches")) {
    check_lists(match, of_match, what, out);
    for (const View& header : match.items("headers")) {
      const std::size_t size = header.text("value").size();
      if (size == 0 || size > longest_value)
        out.push_back(what + "the value of " + printable(header.text("name")) +
                      " does not have 1 to 4096 bytes");
    }
  }
}

void check_http_rule(const View& rule, const std::string& what, Refusals& out) {
  for (const View& match : rule.items("matches")) {
    const std::string_view type = match.text("path.type", "PathPrefix");
    if (!is_one_of(type, {"Exact", "PathPrefix", "RegularExpression"}))
      out.push_back(what + "the path type \"" + printable(type) + "\" is not known");
    else if (type != "RegularExpression" && !is_path(match.text("path.value", "/")))
      out.push_back(what + "\"" + printable(match.text("path.value")) + "\" is no path");
  }
  check_filters(rule, what, out);
  for (const View& backend : rule.items("backendRefs")) check_filters(backend, what, out);
  const auto redirects = [](const View& filter) { return filter.text("type") == "RequestRedirect"; };
  if (!rule.items("backendRefs").empty() && std::ranges::any_of(rule.items("filters"), redirects))
    out.push_back(what + "RequestRedirect and backendRefs exclude each other");
}

/// Most matches in all rules of an HTTPRoute or a GRPCRoute.
constexpr std::size_t most_matches = 128;

void check_route(const k8s::Dynamic& object, Refusals& out) {
  for (const std::string_view hostname : object.texts("spec.hostnames")) {
    if (!is_hostname(hostname, true)) out.push_back("\"" + printable(hostname) + "\" is no hostname");
  }
  const bool is_plain = is_one_of(object.kind(), {"TLSRoute", "TCPRoute", "UDPRoute"});
  const auto rules = object.items("spec.rules");
  const std::array<ListLimit, 3> limits = {{{"spec.rules", is_plain ? 1U : 0U, is_plain ? 1U : 16U},
                                            {"spec.hostnames", 0, 16},
                                            {"spec.parentRefs", 0, 32}}};
  check_lists(object, limits, "", out);
  std::size_t matches = 0;
  for (const View& rule : rules) matches += rule.items("matches").size();
  if (matches > most_matches)
    out.push_back("it has " + std::to_string(matches) + " matches, and " + std::to_string(most_matches) +
                  " are the most");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string what = rule_name(rules[i], i) + ": ";
    if (!is_plain && !rules[i].text("name").empty() && !names.insert(rules[i].text("name")).second)
      out.push_back(what + "its name is not unique");
    if (is_plain && rules[i].items("backendRefs").empty()) out.push_back(what + "it has no backendRefs");
    if (!is_plain) check_rule(rules[i], what, out);
    if (object.kind() == "HTTPRoute") check_http_rule(rules[i], what, out);
    for (const ObjectRef& ref : backends_of(rules[i])) {
      if (ref.group().empty() && ref.kind("Service") == "Service" && !ref.port())
        out.push_back(what + "the reference to Service " + printable(ref.name()) + " names no port");
    }
  }
}

}  // namespace

std::vector<std::string> schema_refusals(const k8s::Dynamic& object) {
  Refusals out;
  if (is_one_of(object.kind(), {"Gateway", "ListenerSet"})) check_listeners(object, out);
  if (object.kind().ends_with("Route")) check_route(object, out);
  return out;
}

}  // namespace fairway::gateway
