#include "gateway/internal/untranslated.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "gateway/internal/rules.h"

namespace fairway::gateway {

namespace {

using k8s::View;

const std::set<std::string_view> rule_filters = {
    "RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "RequestMirror", "URLRewrite",
    "ExtensionRef"};
const std::set<std::string_view> backend_filters = {"RequestHeaderModifier", "ResponseHeaderModifier",
                                                    "ExtensionRef"};

std::optional<std::string> filter_in(const View& owner, const std::set<std::string_view>& translated) {
  for (const View& filter : owner.items("filters")) {
    if (!translated.contains(filter.text("type"))) return "the filter " + printable(filter.text("type"));
  }
  return std::nullopt;
}

/// Whether a BackendTLSPolicy is for a backend, which must not be spoken to in the clear.
bool has_policy(const Objects& objects, std::string_view local, const ObjectRef& ref) {
  return std::ranges::any_of(objects.all("BackendTLSPolicy"), [&](const k8s::Dynamic* policy) {
    if (policy->namespace_name() != ref.namespace_name(local)) return false;
    return std::ranges::any_of(policy->items<ObjectRef>("spec.targetRefs"), [&](const ObjectRef& target) {
      return target.kind("Service") == "Service" && target.name() == ref.name();
    });
  });
}

std::optional<std::string> rule_feature(const Objects& objects, const RouteState& route, const View& rule) {
  for (const char* field : {"retry", "sessionPersistence"}) {
    if (rule.has(field)) return std::string(field);
  }
  if (auto filter = filter_in(rule, rule_filters)) return filter;
  for (const View& backend : rule.items("backendRefs")) {
    if (auto filter = filter_in(backend, backend_filters)) return *filter + " of a backend";
  }
  for (const ObjectRef& ref : backends_of(rule)) {
    if (has_policy(objects, route.object->namespace_name(), ref))
      return "the BackendTLSPolicy of Service " + printable(ref.name());
  }
  return std::nullopt;
}

std::optional<std::string> route_feature(const Objects& objects, const RouteState& route) {
  if (route.kind != RouteKind::http) return std::string(to_string(route.kind)) + "s";
  const auto rules = route.object->items("spec.rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rule_problem(route.kind, rules[i], rule_name(rules[i], i))) continue;
    if (auto feature = rule_feature(objects, route, rules[i]))
      return rule_name(rules[i], i) + ": " + *feature;
  }
  return std::nullopt;
}

std::size_t given_addresses(const k8s::Dynamic& gateway) {
  const auto addresses = gateway.items("spec.addresses");
  return static_cast<std::size_t>(
      std::ranges::count_if(addresses, [](const View& one) { return !one.text("value").empty(); }));
}

}  // namespace

std::map<std::int64_t, std::string> untranslated(const Objects& objects, const GatewayState& gateway,
                                                 const std::deque<RouteState>& routes) {
  std::map<std::int64_t, std::string> found;
  const auto add = [&](std::int64_t port, const std::string& what) {
    found.emplace(port, "not configured in Envoy yet: " + what);
  };
  for (const Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    if (listener.spec.protocol() != "HTTP")
      add(listener.spec.port(), "listeners of the protocol " + printable(listener.spec.protocol()));
    if (given_addresses(*gateway.object) > 1) add(listener.spec.port(), "more than one address");
  }
  for (const RouteState& route : routes) {
    if (route.invalid) continue;
    std::optional<std::string> feature;
    bool is_judged = false;
    for (const ParentState& parent : route.parents) {
      if (parent.gateway != &gateway || !route.is_accepted_by(parent)) continue;
      if (!is_judged) feature = route_feature(objects, route);
      is_judged = true;
      if (!feature) break;
      for (const Attachment& attachment : parent.attachments) {
        // A route may be in a namespace that the Gateway's users must not see.
        const bool is_near = route.object->namespace_name() == gateway.object->namespace_name();
        add(attachment.listener->spec.port(),
            is_near ? describe(*route.object) + ": " + *feature : "a feature of a route");
      }
    }
  }
  return found;
}

}  // namespace fairway::gateway
