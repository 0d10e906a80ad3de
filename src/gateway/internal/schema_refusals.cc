#include "gateway/internal/schema_refusals.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "gateway/internal/api.h"
#include "gateway/internal/hostname.h"
#include "gateway/internal/rules.h"
#include "gateway/internal/values.h"

namespace fairway::gateway {

namespace {

using k8s::View;
using Refusals = std::vector<std::string>;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> values) {
  return std::ranges::find(values, text) != values.end();
}

void check_listeners(const k8s::Dynamic& object, Refusals& out) {
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
    if (protocol == "HTTPS" && listener.tls_mode() != "Terminate")
      out.push_back(what + "the tls mode of HTTPS is Terminate");
    if (listener.has_tls() && listener.tls_mode() == "Terminate" && listener.certificates().empty() &&
        !listener.has("tls.options"))
      out.push_back(what + "Terminate needs certificateRefs or options");
  }
}

void check_filters(const View& owner, const std::string& what, Refusals& out) {
  std::multiset<std::string_view> types;
  for (const View& filter : owner.items("filters")) {
    const std::string_view type = filter.text("type");
    types.insert(type);
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

void check_route(const k8s::Dynamic& object, Refusals& out) {
  for (const std::string_view hostname : object.texts("spec.hostnames")) {
    if (!is_hostname(hostname, true)) out.push_back("\"" + printable(hostname) + "\" is no hostname");
  }
  const bool is_plain = is_one_of(object.kind(), {"TLSRoute", "TCPRoute", "UDPRoute"});
  const auto rules = object.items("spec.rules");
  if (is_plain && rules.empty()) out.emplace_back("it has no rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string what = rule_name(rules[i], i) + ": ";
    if (is_plain && rules[i].items("backendRefs").empty()) out.push_back(what + "it has no backendRefs");
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
