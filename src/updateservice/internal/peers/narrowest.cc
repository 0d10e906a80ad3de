// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/peers/narrowest.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/digest.h"
#include "graph/restrict.h"
#include "updateservice/guards.h"
#include "updateservice/internal/store/stored_inputs.h"

namespace fairway::updateservice {
namespace {

/// The mark of an image that replicas do not agree on: no source offers it, so the version is left out.
constexpr const char* no_common_image = "@none that all replicas serve";

/// Returns the graphs of a replica, the newest first, each without its baseline.
std::vector<std::shared_ptr<const BuiltInputs>> layers_of(const BuiltInputs& held) {
  std::vector<std::shared_ptr<const BuiltInputs>> layers;
  for (const BuiltInputs* one = &held; one != nullptr; one = one->baseline.get()) {
    auto layer = std::make_shared<BuiltInputs>(*one);
    layer->baseline = nullptr;
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// Returns a key that is equal for equal graphs, whatever else their replicas remember.
std::string graph_key(const BuiltInputs& inputs) {
  BuiltInputs graph = inputs;
  graph.payloads.clear();
  graph.guard = {};
  graph.baseline = nullptr;
  graph.uncompared = graph.of_peers = false;
  return sha256_hex(pack_inputs(graph));
}

/// Merges withdrawn updates: a restriction that any of them has applies.
class WithdrawnByAll {
 public:
  void add(const graph::WithdrawnUpdates& more) {
    all_.overflowed = all_.overflowed || more.overflowed;
    std::vector<std::uint32_t> position;
    for (const graph::Risk& risk : more.risks) {
      const auto [place, is_new] =
          positions_.try_emplace(risk.body(), static_cast<std::uint32_t>(all_.risks.size()));
      if (is_new) all_.risks.push_back(risk);
      position.push_back(place->second);
    }
    for (const auto& [ends, risks] : more.updates) {
      const auto [place, is_new] = all_.updates.try_emplace(ends);
      std::vector<std::uint32_t>& together = place->second;
      // No risk stands for an update that was not served.
      if (!is_new && (together.empty() || risks.empty())) {
        together.clear();
        continue;
      }
      for (const std::uint32_t risk : risks) together.push_back(position[risk]);
      std::ranges::sort(together);
      const auto repeated = std::ranges::unique(together);
      together.erase(repeated.begin(), repeated.end());
    }
  }
  std::shared_ptr<const graph::WithdrawnUpdates> now() const {
    return std::make_shared<const graph::WithdrawnUpdates>(all_);
  }

 private:
  graph::WithdrawnUpdates all_;
  std::map<std::string, std::uint32_t> positions_;
};

void add_lifted(WideningMemory& memory, const WideningMemory& more) {
  for (const WideningMemory::Lifted& lifted : more.lifted) {
    const auto same = std::ranges::find_if(memory.lifted, [&](const WideningMemory::Lifted& known) {
      return known.to == lifted.to && known.risk == lifted.risk;
    });
    if (same == memory.lifted.end()) {
      memory.lifted.push_back(lifted);
    } else {
      same->time = std::max(same->time, lifted.time);
    }
  }
}

void add_payloads(Payloads& payloads, const Payloads& more) {
  for (const auto& [version, payload] : more) {
    const auto [known, is_new] = payloads.emplace(version, payload);
    if (!is_new && digest_of(known->second) != digest_of(payload)) known->second = no_common_image;
  }
}

/// Stacks graphs as baselines of each other, so that they can be built again after a restart.
std::shared_ptr<const BuiltInputs> stack(const std::vector<std::shared_ptr<const BuiltInputs>>& layers,
                                         std::size_t at) {
  if (at == layers.size()) return nullptr;
  auto inputs = std::make_shared<BuiltInputs>(*layers[at]);
  inputs->baseline = stack(layers, at + 1);
  inputs->of_peers = true;
  return inputs;
}

}  // namespace

Result<NarrowestBuild> narrowest(const std::vector<std::shared_ptr<const BuiltInputs>>& held,
                                 const std::string& problem_url, const Limits& limits, const Clock& clock) {
  std::vector<std::shared_ptr<const BuiltInputs>> layers;
  std::set<std::string> known;
  WideningMemory memory;
  memory.accepted = held.front()->guard.accepted;
  memory.count_none();
  Payloads payloads;
  WithdrawnByAll withdrawn;
  for (const auto& one : held) {
    add_lifted(memory, one->guard);
    add_payloads(payloads, one->payloads);
    withdrawn.add(*one->guard.absent);
    for (auto& layer : layers_of(*one)) {
      if (!known.insert(graph_key(*layer)).second) continue;
      layers.push_back(std::move(layer));
    }
  }
  if (layers.size() > most_peer_graphs) {
    return fail(ErrorCode::too_large, "the replicas hold " + std::to_string(layers.size()) +
                                          " different graphs; more than " + std::to_string(most_peer_graphs) +
                                          " are not put together");
  }
  // The lowest first: each one above it is as open as all below it allow.
  memory.absent = withdrawn.now();
  std::shared_ptr<const graph::Snapshot> together;
  for (const auto& layer : std::views::reverse(layers)) {
    const BuiltInputs& inputs = *layer;
    auto built = build_snapshot(inputs, inputs.graph_data_source, problem_url, limits, clock);
    if (!built) return fail(std::move(built.error()));
    if (!together) {
      together = std::move(*built);
      continue;
    }
    // Updates that only the lower ones know would be missing: they are remembered as withdrawn.
    auto closed = graph::restrict_as(**built, *together, *memory.absent, problem_url, limits, clock);
    if (!closed) return fail(std::move(closed.error()));
    const auto absent =
        graph::withdrawn_updates({}, *together, **closed, true, graph::max_withdrawn_updates, limits, clock);
    if (!absent) return fail(absent.error());
    withdrawn.add(*absent);
    memory.absent = withdrawn.now();
    together = std::move(*closed);
  }
  auto inputs = std::make_shared<BuiltInputs>(*stack(layers, 0));
  inputs->guard = std::move(memory);
  inputs->payloads = std::move(payloads);
  // A graph that nobody has compared or accepted does not become more certain because two replicas have it.
  inputs->uncompared = std::ranges::all_of(held, [](const auto& one) { return one->uncompared; });
  return NarrowestBuild{std::move(inputs), std::move(together)};
}

}  // namespace fairway::updateservice
