// SPDX-License-Identifier: Apache-2.0

#include "graph/restrict.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "graph/internal/risk_lists.h"
#include "graph/internal/same_releases.h"
#include "graph/internal/watch.h"

namespace fairway::graph {
namespace {

using Ids = std::vector<RiskLists::RiskId>;

/// Work, as Watch counts it, of finding an update in another build, and of writing down a risk.
constexpr std::size_t looking_up = 16, writing_risk = 128;

/// The restrictions of one update beyond those of its own build.
struct Restraint {
  bool is_removed = false;
  const Ids* before = nullptr;  ///< indices into the other build's risks
  const Ids* absent = nullptr;  ///< indices into the risks of the withdrawn updates
};

class Restriction {
 public:
  Restriction(const Snapshot& now, const Snapshot& before, const WithdrawnUpdates& absent,
              const std::string& problem_url, Watch& watch)
      : before_(before),
        absent_(absent),
        watch_(watch),
        lists_(problem_url),
        result_(std::make_shared<Snapshot>(now)) {
    always_ = json::to_text(always_rule());
    ids_ = ids_of(now.risks);
    before_ids_ = ids_of(before.risks);
    absent_ids_ = ids_of(absent.risks);
    for (const Ids& set : now.risk_sets) {
      if (watch_.ended(looking_up * (1 + set.size()))) return;
      std::vector<RiskLists::Entry> entries;
      for (const std::uint32_t risk : set) entries.push_back({ids_[risk]});
      sets_.push_back(lists_.add(entries));
    }
  }

  /// Restricts the build; returns null if the watch ended first.
  std::shared_ptr<Snapshot> run() {
    for (Architecture& architecture : result_->architectures) {
      if (watch_.has_ended()) return nullptr;
      restrict(architecture);
    }
    if (watch_.ended()) return nullptr;
    // The lists of `result_` are those of `now` until here.
    result_->risks = lists_.take_risks();
    result_->risk_sets = lists_.take_lists();
    return std::move(result_);
  }

 private:
  Ids ids_of(const std::vector<Risk>& risks) {
    Ids ids;
    ids.reserve(risks.size());
    for (const Risk& risk : risks) {
      if (watch_.ended(writing_risk)) return ids;
      ids.push_back(lists_.add_risk(risk));
      const bool always = json::to_text(risk.matching_rules) == always_;
      concerns_all_.emplace(ids.back(), always);
    }
    return ids;
  }

  static std::uint64_t key_of(std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32 | to; }

  void find_restraints(const Architecture& now) {
    restraints_.clear();
    if (const Architecture* const old = before_.find_architecture(now.name)) {
      const auto position = positions_in(&now, *old);
      for (const SnapshotEdge& edge : old->edges) {
        if (watch_.ended(looking_up)) return;
        if (edge.risk_set == 0 || !position[edge.from] || !position[edge.to]) continue;
        restraints_[key_of(*position[edge.from], *position[edge.to])].before =
            &before_.risk_sets[edge.risk_set];
      }
      for (const RemovedEdge& edge : old->removed) {
        if (watch_.ended(looking_up)) return;
        if (!position[edge.from] || !position[edge.to]) continue;
        const bool left_out = edge.why == RemovedEdge::Why::left_out;
        if (left_out && edge.risk_set == 0) continue;
        Restraint& restraint = restraints_[key_of(*position[edge.from], *position[edge.to])];
        if (left_out) {
          restraint.before = &before_.risk_sets[edge.risk_set];
        } else {
          restraint.is_removed = true;
        }
      }
    }
    for (const auto& [ends, risks] : absent_.updates) {
      if (watch_.ended(looking_up)) return;
      if (ends.arch != now.name) continue;
      const auto from = now.find(ends.from), to = now.find(ends.to);
      if (!from || !to) continue;
      Restraint& restraint = restraints_[key_of(*from, *to)];
      restraint.is_removed = restraint.is_removed || risks.empty();
      restraint.absent = &risks;
    }
    if (!absent_.overflowed) return;
    // An edge of which nothing is known may be a forgotten one.
    const Architecture* const old = before_.find_architecture(now.name);
    std::vector<std::optional<std::uint32_t>> position(now.releases.size());
    if (old != nullptr) position = positions_in(old, now);
    for (const SnapshotEdge& edge : now.edges) {
      if (watch_.ended(looking_up)) return;
      const bool known = old != nullptr && position[edge.from] && position[edge.to] &&
                         old->find_edge(*position[edge.from], *position[edge.to]) != nullptr;
      if (edge.risk_set != 0 || known) continue;
      restraints_.try_emplace(key_of(edge.from, edge.to), Restraint{.is_removed = true});
    }
  }

  void restrict(Architecture& architecture) {
    find_restraints(architecture);
    std::vector<SnapshotEdge> left;
    left.reserve(architecture.edges.size());
    for (SnapshotEdge edge : architecture.edges) {
      if (watch_.ended(looking_up)) return;
      const auto found = restraints_.find(key_of(edge.from, edge.to));
      if (found != restraints_.end() && found->second.is_removed) {
        architecture.removed.push_back({.from = edge.from, .to = edge.to, .why = RemovedEdge::Why::blocked});
        continue;
      }
      edge.risk_set =
          found == restraints_.end() ? sets_[edge.risk_set] : merged(edge.risk_set, found->second);
      left.push_back(edge);
    }
    architecture.edges = std::move(left);
    for (RemovedEdge& edge : architecture.removed) {
      if (edge.why == RemovedEdge::Why::left_out) edge.risk_set = sets_[edge.risk_set];
    }
    std::ranges::sort(architecture.removed, {},
                      [](const RemovedEdge& edge) { return IndexPair(edge.from, edge.to); });
  }

  RiskLists::Id merged(std::uint32_t own, const Restraint& restraint) {
    const auto [place, is_new] = merged_.try_emplace({own, restraint.before, restraint.absent}, sets_[own]);
    if (!is_new) return place->second;
    Ids risks = lists_.at(sets_[own]);
    const std::size_t owned = risks.size();
    const auto add = [&](const Ids* more, const Ids& ids) {
      if (more == nullptr) return;
      for (const std::uint32_t risk : *more) {
        if (watch_.ended(looking_up + risks.size())) return;
        add_risk(risks, ids[risk]);
      }
    };
    add(restraint.before, before_ids_);
    add(restraint.absent, absent_ids_);
    if (watch_.has_ended()) return place->second;
    if (risks.size() == owned && risks == lists_.at(sets_[own])) return place->second;
    std::vector<RiskLists::Entry> entries;
    for (const RiskLists::RiskId risk : risks) entries.push_back({risk});
    return place->second = lists_.add(entries);
  }

  /// Adds a risk unless one of the same name restrains at least as much.
  void add_risk(Ids& risks, RiskLists::RiskId added) {
    const Risk& risk = lists_.risk(added);
    for (RiskLists::RiskId& there : risks) {
      const Risk& other = lists_.risk(there);
      if (other.name != risk.name) continue;
      if (concerns_all_[there] || other.matching_rules == risk.matching_rules) return;
      if (concerns_all_[added]) {
        there = added;
        return;
      }
    }
    risks.push_back(added);
  }

  const Snapshot& before_;
  const WithdrawnUpdates& absent_;
  Watch& watch_;
  RiskLists lists_;
  std::shared_ptr<Snapshot> result_;
  std::string always_;
  std::map<RiskLists::RiskId, bool> concerns_all_;
  Ids ids_, before_ids_, absent_ids_;
  std::vector<RiskLists::Id> sets_;  ///< lists of the build's own risk sets, by their index
  std::unordered_map<std::uint64_t, Restraint> restraints_;
  std::map<std::tuple<std::uint32_t, const Ids*, const Ids*>, RiskLists::Id> merged_;
};

}  // namespace

Result<std::shared_ptr<Snapshot>> restrict_as(const Snapshot& now, const Snapshot& before,
                                              const WithdrawnUpdates& absent, const std::string& problem_url,
                                              const Limits& limits, const Clock& clock) {
  Watch watch(limits, clock);
  auto restricted = Restriction(now, before, absent, problem_url, watch).run();
  if (!restricted) return watch.why("keeping closed what is held");
  return restricted;
}

}  // namespace fairway::graph
