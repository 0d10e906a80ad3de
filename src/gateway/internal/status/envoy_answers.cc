// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/envoy_answers.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "gateway/internal/status/listener_probes.h"
#include "gateway/internal/status/refused_rules.h"
#include "gateway/internal/translation/envoy_names.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

namespace {

/// Returns the last part of the name of a type's message: "Listener".
std::string kind_of(xds::Type type) {
  const std::string_view message = xds::message_of(type);
  return std::string(message.substr(message.rfind('.') + 1));
}

k8s::ConditionError held_back_problem() {
  return {"Pending", "Envoy is given the change once Ready=True has been taken back"};
}

/// Returns the problem of Envoys with the resources that a listener needs; std::nullopt: they serve them all.
/// Resources that are held back have not been given to them. Resources in `aside` are skipped.
std::optional<k8s::ConditionError> problem_of(const std::set<xds::ResourceName>& needs,
                                              const std::set<xds::ResourceName>& held, const Envoys& envoys,
                                              const std::set<xds::ResourceName>& aside = {}) {
  using enum xds::Acknowledgement::State;
  std::optional<k8s::ConditionError> waiting;
  for (const xds::ResourceName& name : needs) {
    if (aside.contains(name)) continue;
    if (held.contains(name)) return held_back_problem();
    const xds::Acknowledgement acknowledgement = envoys.acknowledgement(name);
    if (acknowledgement.state == refused)
      return k8s::ConditionError{"Invalid", "Envoy refuses it: " + printable(acknowledgement.message, 2000)};
    if (acknowledgement.state == unconnected)
      waiting = k8s::ConditionError{"Pending", "no Envoy is connected"};
    if (acknowledgement.state == pending && !waiting)
      waiting = k8s::ConditionError{"Pending", "not every Envoy has acknowledged the configuration: " +
                                                   kind_of(name.type) + " " + name.name};
  }
  return waiting;
}

/// Returns the certificates of listeners that Envoys refuse. Envoy still serves a port with such a
/// certificate, except the names that it is for, so only the listeners that show it are not served.
std::set<xds::ResourceName> refused_certificates(const GatewayState& gateway, const Envoys& envoys) {
  std::set<xds::ResourceName> refused;
  for (const Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    for (const std::string& name : secret_names(listener)) {
      const xds::ResourceName secret{xds::Type::secret, name};
      if (envoys.acknowledgement(secret).state == xds::Acknowledgement::State::refused)
        refused.insert(secret);
    }
  }
  return refused;
}

/// Adds the parts of a Gateway that Envoys refuse or do not serve yet.
void ask_of(const GatewayState& gateway, const Evaluation& evaluation, const Envoys& envoys,
            Answers& answers) {
  const std::set<xds::ResourceName>& held = evaluation.held;
  Answers::ByPort unprogrammed;
  const auto record = [&](std::int64_t port, k8s::ConditionError problem) {
    // A refusal says more than that something is not there yet.
    if (problem.reason == "Invalid" || !unprogrammed.contains(port))
      unprogrammed.insert_or_assign(port, std::move(problem));
  };
  const std::set<xds::ResourceName> refused = refused_certificates(gateway, envoys);
  for (const Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    for (const std::string& name : listener_names(gateway, listener)) {
      const auto found = evaluation.needs.find(name);
      if (found == evaluation.needs.end()) continue;
      if (auto problem = problem_of(found->second, held, envoys, refused))
        record(listener.spec.port(), *std::move(problem));
    }
    for (const std::string& name : secret_names(listener)) {
      const xds::ResourceName secret{xds::Type::secret, name};
      if (!refused.contains(secret)) continue;
      if (auto problem = problem_of({secret}, held, envoys))
        answers.refused_certificates.insert_or_assign(&listener, *std::move(problem));
    }
  }
  if (!held.empty() && evaluation.served != nullptr) {
    // Listeners that are no more, and are served all the same.
    const auto is_of_gateway = [&](const Owner& owner) {
      return owner == owner_of(*gateway.object) || std::ranges::any_of(gateway.sets, [&](const auto& set) {
               return owner == owner_of(*set.object);
             });
    };
    for (const auto& [key, place] : evaluation.served->places) {
      const bool is_held = std::ranges::any_of(
          place.names, [&](const std::string& name) { return held.contains({xds::Type::listener, name}); });
      if (is_held && is_of_gateway(key.first)) record(place.port, held_back_problem());
    }
  }
  if (!unprogrammed.empty()) answers.unprogrammed.emplace(&gateway, std::move(unprogrammed));
}

/// Returns whether a listener is to be probed: Envoys serve all resources that it needs, or did so when it
/// was probed last and have its current listener and key pairs. `refused`: the certificates of the Gateway's
/// listeners that Envoys refuse.
bool is_probed(const GatewayState& gateway, const Listener& listener, const Needs& needs,
               const std::set<xds::ResourceName>& held, const Envoys& envoys,
               const std::set<xds::ResourceName>& refused, bool was_probed) {
  if (!gateway.parameters.ready || !gateway.is_accepted() || gateway.unusable || !listener.is_accepted())
    return false;
  return std::ranges::all_of(listener_names(gateway, listener), [&](const std::string& name) {
    const auto found = needs.find(name);
    if (found == needs.end()) return false;
    std::set<xds::ResourceName> some = found->second;
    const auto own = secret_names(listener);
    std::erase_if(some, [&](const xds::ResourceName& need) {
      return refused.contains(need) && !own.contains(need.name);
    });
    if (was_probed) {
      std::erase_if(some, [](const xds::ResourceName& need) {
        return need.type != xds::Type::listener && need.type != xds::Type::secret;
      });
    }
    return !problem_of(some, held, envoys);
  });
}

}  // namespace

Answers ask_envoys(const Evaluation& evaluation, const TranslationCache& translations, const Envoys& envoys) {
  Answers answers;
  for (const GatewayState& gateway : evaluation.gateways.gateways)
    ask_of(gateway, evaluation, envoys, answers);
  find_refused_rules(evaluation, translations, envoys, answers);
  return answers;
}

ListenerNames ask_probes(const Evaluation& evaluation, const ListenerNames& probed_before,
                         const Envoys& envoys, Probes& probes, Answers& answers) {
  static const Served nothing;
  const Served& served = evaluation.served != nullptr ? *evaluation.served : nothing;
  const std::uint64_t session = envoys.session();
  std::set<Probe> wanted;
  ListenerNames probed;
  std::map<const Listener*, std::vector<Probe>> by_listener;
  for (const GatewayState& gateway : evaluation.gateways.gateways) {
    if (!gateway.parameters.ready) continue;
    const auto refused = refused_certificates(gateway, envoys);
    for (const Listener& listener : gateway.listeners) {
      const std::pair key(owner_of(*listener.owner), std::string(listener.spec.name()));
      if (!is_probed(gateway, listener, evaluation.needs, evaluation.held, envoys, refused,
                     probed_before.contains(key)))
        continue;
      auto all = probes_of(evaluation.objects, gateway, listener, served, session);
      if (all.empty()) continue;
      probed.insert(key);
      wanted.insert(all.begin(), all.end());
      by_listener.emplace(&listener, std::move(all));
    }
  }
  probes.want(wanted);
  for (const auto& [listener, all] : by_listener) {
    std::optional<Result<void>> shown = Result<void>();
    for (const Probe& probe : all) {
      auto answer = probes.answer(probe);
      if (shown && *shown) shown = std::move(answer);
    }
    if (shown) answers.probed.emplace(listener, *std::move(shown));
  }
  return probed;
}

}  // namespace fairway::gateway
