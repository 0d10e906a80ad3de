// SPDX-License-Identifier: Apache-2.0

#include "graph/withdrawn_updates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/internal/same_releases.h"
#include "graph/internal/watch.h"

namespace fairway::graph {
namespace {

/// Work, as Watch counts it, of finding an update in another build and noting it.
constexpr std::size_t looking_up = 16;

/// Returns whether two risks restrain an update equally, whatever their texts are.
bool is_same_block(const Risk& one, const Risk& other) {
  return one.name == other.name && one.matching_rules == other.matching_rules;
}

class Collector {
 public:
  explicit Collector(std::size_t limit) : limit_(limit) {}

  void add(WithdrawnUpdates::Ends ends, const std::vector<std::uint32_t>& risks,
           const std::vector<Risk>& of) {
    if (out_.updates.size() >= limit_ && !out_.updates.contains(ends)) {
      out_.overflowed = true;
      return;
    }
    const auto [place, is_new] = out_.updates.try_emplace(std::move(ends));
    std::vector<std::uint32_t>& known = place->second;
    // None stands for an update that was not served, which closes more than any risk.
    if (!is_new && known.empty()) return;
    if (risks.empty()) known.clear();
    for (const std::uint32_t risk : risks) {
      if (has(known, of[risk])) continue;
      const auto body = add_body(of[risk]);
      if (!body || known.size() >= max_withdrawn_risks) {
        known.clear();
        return;
      }
      known.push_back(*body);
    }
  }

  WithdrawnUpdates take(bool overflowed) {
    out_.overflowed = out_.overflowed || overflowed;
    return std::move(out_);
  }

 private:
  bool has(const std::vector<std::uint32_t>& known, const Risk& risk) const {
    return std::ranges::any_of(known,
                               [&](std::uint32_t one) { return is_same_block(out_.risks[one], risk); });
  }

  /// Adds a body and returns its index; nothing if no more are kept.
  std::optional<std::uint32_t> add_body(const Risk& risk) {
    std::string body = risk.body();
    if (const auto found = by_body_.find(body); found != by_body_.end()) return found->second;
    if (out_.risks.size() >= max_withdrawn_bodies) return std::nullopt;
    const auto index = static_cast<std::uint32_t>(out_.risks.size());
    by_body_.emplace(std::move(body), index);
    out_.risks.push_back(risk);
    return index;
  }

  const std::size_t limit_;
  WithdrawnUpdates out_;
  std::map<std::string, std::uint32_t> by_body_;
};

/// Compares lists of risks of two builds.
class RiskSets {
 public:
  RiskSets(const Snapshot& before, const Snapshot& now) : before_(before), now_(now) {}

  /// Returns whether the list `before` has every risk of the list `now`.
  bool has_all(std::uint32_t before, std::uint32_t now) {
    const auto [place, is_new] = cache_.try_emplace({before, now}, false);
    if (!is_new) return place->second;
    const auto& old = before_.risk_sets[before];
    place->second = std::ranges::all_of(now_.risk_sets[now], [&](std::uint32_t id) {
      const Risk& risk = now_.risks[id];
      return std::ranges::any_of(
          old, [&](std::uint32_t old_id) { return is_same_block(before_.risks[old_id], risk); });
    });
    return place->second;
  }

 private:
  const Snapshot& before_;
  const Snapshot& now_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> cache_;
};

bool is_away(const Architecture* now, std::optional<std::uint32_t> from, std::optional<std::uint32_t> to) {
  return now == nullptr || !from || !to ||
         (now->find_edge(*from, *to) == nullptr && !is_removed(*now, *from, *to));
}

}  // namespace

Result<WithdrawnUpdates> withdrawn_updates(const WithdrawnUpdates& known, const Snapshot& before,
                                           const Snapshot& now, bool held, std::size_t most,
                                           const Limits& limits, const Clock& clock) {
  Watch watch(limits, clock);
  const auto ended = [&watch] { return watch.why("remembering what updates are away"); };
  Collector collector(most);
  for (const auto& [ends, risks] : known.updates) {
    if (watch.ended(looking_up)) return ended();
    const Architecture* const architecture = now.find_architecture(ends.arch);
    if (held || architecture == nullptr ||
        is_away(architecture, architecture->find(ends.from), architecture->find(ends.to)))
      collector.add(ends, risks, known.risks);
  }
  for (const Architecture& old : before.architectures) {
    const Architecture* const fresh = now.find_architecture(old.name);
    const auto position = positions_in(fresh, old);
    const auto add = [&](std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& risks) {
      if (is_away(fresh, position[from], position[to]))
        collector.add({old.name, old.releases[from].text, old.releases[to].text}, risks, before.risks);
    };
    for (const SnapshotEdge& edge : old.edges) {
      if (watch.ended(looking_up)) return ended();
      if (edge.risk_set != 0) add(edge.from, edge.to, before.risk_sets[edge.risk_set]);
    }
    for (const RemovedEdge& edge : old.removed) {
      if (watch.ended(looking_up)) return ended();
      if (edge.why != RemovedEdge::Why::left_out) add(edge.from, edge.to, {});
      if (edge.risk_set != 0) add(edge.from, edge.to, before.risk_sets[edge.risk_set]);
    }
  }
  if (watch.ended()) return ended();
  return collector.take(known.overflowed);
}

Result<WithdrawnUpdates> with_closed_updates(const WithdrawnUpdates& known, const Snapshot& before,
                                             const Snapshot& now, std::size_t most, const Limits& limits,
                                             const Clock& clock) {
  Watch watch(limits, clock);
  const auto ended = [&watch] { return watch.why("remembering what updates are closed"); };
  Collector collector(most);
  for (const auto& [ends, risks] : known.updates) {
    if (watch.ended(looking_up)) return ended();
    collector.add(ends, risks, known.risks);
  }
  RiskSets sets(before, now);
  for (const Architecture& fresh : now.architectures) {
    const Architecture* const old = before.find_architecture(fresh.name);
    std::vector<std::optional<std::uint32_t>> position(fresh.releases.size());
    if (old != nullptr) position = positions_in(old, fresh);
    const auto add = [&](std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& risks) {
      collector.add({fresh.name, fresh.releases[from].text, fresh.releases[to].text}, risks, now.risks);
    };
    const auto add_risks = [&](std::uint32_t from, std::uint32_t to, std::uint32_t risk_set) {
      if (risk_set == 0) return;
      const bool is_known = position[from] && position[to];
      const SnapshotEdge* const was = is_known ? old->find_edge(*position[from], *position[to]) : nullptr;
      if (was == nullptr || !sets.has_all(was->risk_set, risk_set)) add(from, to, now.risk_sets[risk_set]);
    };
    for (const SnapshotEdge& edge : fresh.edges) {
      if (watch.ended(looking_up)) return ended();
      add_risks(edge.from, edge.to, edge.risk_set);
    }
    for (const RemovedEdge& edge : fresh.removed) {
      if (watch.ended(looking_up)) return ended();
      add_risks(edge.from, edge.to, edge.risk_set);
      if (edge.why == RemovedEdge::Why::left_out) continue;
      const auto from = position[edge.from], to = position[edge.to];
      if (!from || !to || !is_removed(*old, *from, *to)) add(edge.from, edge.to, {});
    }
  }
  if (watch.ended()) return ended();
  return collector.take(known.overflowed);
}

}  // namespace fairway::graph
