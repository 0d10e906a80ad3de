// SPDX-License-Identifier: Apache-2.0

// NetworkPolicies.
#include <array>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/ip_address.h"
#include "apiserver/internal/validation/pod_facts.h"

namespace fairway::apiserver::validation {
namespace {

using Blocks = std::set<std::string_view>;

/// Collects the blocks of addresses of a policy before an update: what was accepted once may stay.
Blocks former_blocks(const json::Object* old) {
  Blocks made;
  if (old == nullptr) return made;
  for (const auto& [rules, peers] : {std::pair{"spec.ingress", "from"}, std::pair{"spec.egress", "to"}}) {
    for (const k8s::View& rule : k8s::View(*old).items(rules)) {
      for (const k8s::View& peer : rule.items(peers)) {
        made.insert(peer.text("ipBlock.cidr"));
        for (const std::string_view except : peer.texts("ipBlock.except")) made.insert(except);
      }
    }
  }
  return made;
}

void check_policy_port(const Scope& port) {
  const auto end = port.integer("endPort");
  const json::Value* number = port.find("port");
  if (number == nullptr) {
    if (end) port.invalid("endPort", json::Value(*end), "may not be specified when `port` is not specified");
    return;
  }
  if (number->is_string()) {
    if (end) port.invalid("endPort", json::Value(*end), "may not be specified when `port` is non-numeric");
    port.faults("port", number->get_string(), check_port_name(number->get_string()));
    return;
  }
  const std::int64_t begin = port.integer("port").value_or(0);
  for (const std::string& fault : check_port_number(begin)) port.invalid("port", json::Value(begin), fault);
  if (!end) return;
  if (*end < begin) port.invalid("endPort", json::Value(*end), "must be greater than or equal to `port`");
  for (const std::string& fault : check_port_number(*end)) port.invalid("endPort", json::Value(*end), fault);
}

void check_ip_block(const Scope& block, const Blocks& former) {
  const auto check = [&](const Path& path, std::string_view text) {
    if (!former.contains(text)) add_faults(block.errors(), path, text, check_block(text));
  };
  const std::string_view all = block.text("cidr");
  if (all.empty()) {
    block.required("cidr");
    return;
  }
  check(block.path().child("cidr"), all);
  const auto outer = parse_block(all);
  if (!outer) return;
  const Path list = block.path().child("except");
  std::size_t index = 0;
  for (const std::string_view text : block.texts("except")) {
    const Path path = list.item(index++);
    check(path, text);
    const auto inner = parse_block(text);
    if (inner && !outer->strictly_contains(*inner))
      add_faults(block.errors(), path, text, {"must be a strict subset of `cidr`"});
  }
}

void check_peer(const Scope& peer, const Blocks& former) {
  check_type("NetworkPolicyPeer", peer);
  const bool has_selector = peer.has("podSelector") || peer.has("namespaceSelector");
  if (!peer.has("ipBlock")) {
    if (!has_selector) peer.required(".", "must specify a peer");
    return;
  }
  check_ip_block(peer.child("ipBlock"), former);
  if (has_selector) peer.forbidden(".", "may not specify both ipBlock and another peer");
}

void check_policy_rules(const Scope& spec) {
  const Blocks former = former_blocks(spec.facts().old_object);
  for (const auto& [rules, peers] : {std::pair{"ingress", "from"}, std::pair{"egress", "to"}}) {
    spec.each(rules, [&, list = std::string_view(peers)](const Scope& rule, std::size_t) {
      rule.each("ports", [](const Scope& port, std::size_t) { check_type("NetworkPolicyPort", port); });
      rule.each(list, [&](const Scope& peer, std::size_t) { check_peer(peer, former); });
    });
  }
}

void check_policy_types(const Scope& spec) {
  const std::vector<std::string_view> known{"Ingress", "Egress"};
  const auto types = spec.texts("policyTypes");
  if (types.size() > known.size()) {
    spec.invalid("policyTypes", spec.value("policyTypes"), "may not specify more than two policyTypes");
    return;
  }
  const Path path = spec.path().child("policyTypes");
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] != "Ingress" && types[i] != "Egress")
      spec.errors().push_back(
          k8s::FieldError::not_supported(path.item(i).text(), json::Value(types[i]), known));
  }
}

constexpr std::array calls{
    NamedCall{"policy_port", &check_policy_port},
    NamedCall{"policy_rules", &check_policy_rules},
    NamedCall{"policy_types", &check_policy_types},
};

}  // namespace

std::span<const NamedCall> network_policy_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
