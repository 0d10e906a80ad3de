// SPDX-License-Identifier: Apache-2.0

#include "graph/widening.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "graph/internal/same_releases.h"
#include "graph/internal/watch.h"

namespace fairway::graph {
namespace {

constexpr std::size_t id_digits = 32;
/// Work, as Watch counts it, of finding an update and noting it, and of writing down the rules of a risk.
constexpr std::size_t looking_up = 16, writing_rules = 128;
/// The mark of "not served" among names of risks, none of which is empty.
const std::string not_served;
/// The name under which forgotten updates are reported.
const std::string forgotten = "(forgotten)";

/// Returns a text prefixed with its size, so that different lists of texts never join to the same text.
std::string framed(std::string_view text) {
  return std::to_string(text.size()) + ":" + std::string(text);
}

using Ids = std::vector<std::uint32_t>;

/// Compares the updates of two builds.
class Comparison {
 public:
  Comparison(const Snapshot& before, const Snapshot& now, const WithdrawnUpdates& absent, Watch& watch)
      : before_(before), now_(now), absent_(absent), watch_(watch) {
    always_ = json::to_text(always_rule());
  }

  void compare(const Architecture& old, const Architecture* fresh) {
    const auto position = positions_in(fresh, old);
    const auto served_now = [&](std::uint32_t from, std::uint32_t to) -> const SnapshotEdge* {
      if (!position[from] || !position[to]) return nullptr;
      return fresh->find_edge(*position[from], *position[to]);
    };
    for (const RemovedEdge& edge : old.removed) {
      if (watch_.ended(looking_up)) return;
      const SnapshotEdge* const after = served_now(edge.from, edge.to);
      const std::string& from = old.releases[edge.from].text;
      const std::string& to = old.releases[edge.to].text;
      if (edge.why != RemovedEdge::Why::left_out) {
        block(to, not_served);
        if (after != nullptr) open(old.name, from, to, not_served, lost_all());
      } else if (edge.risk_set != 0 && after != nullptr) {
        open_lost(old.name, from, to, before_.risk_sets[edge.risk_set], before_.risks, after->risk_set);
      }
    }
    for (const SnapshotEdge& edge : old.edges) {
      if (watch_.ended(looking_up)) return;
      if (edge.risk_set == 0) continue;
      const std::string& to = old.releases[edge.to].text;
      if (blocks_seen_.emplace(edge.to, edge.risk_set).second) {
        for (const std::uint32_t risk : before_.risk_sets[edge.risk_set]) block(to, before_.risks[risk].name);
      }
      if (const SnapshotEdge* const after = served_now(edge.from, edge.to)) {
        open_lost(old.name, old.releases[edge.from].text, to, before_.risk_sets[edge.risk_set], before_.risks,
                  after->risk_set);
      }
    }
    blocks_seen_.clear();
  }

  void compare_absent() {
    for (const auto& [ends, risks] : absent_.updates) {
      if (watch_.ended(looking_up)) return;
      const Architecture* const fresh = now_.find_architecture(ends.arch);
      if (fresh == nullptr) continue;
      const auto from = fresh->find(ends.from), to = fresh->find(ends.to);
      const SnapshotEdge* const after = from && to ? fresh->find_edge(*from, *to) : nullptr;
      if (after == nullptr) continue;
      if (risks.empty()) {
        open(ends.arch, ends.from, ends.to, not_served, lost_all());
      } else {
        open_lost(ends.arch, ends.from, ends.to, risks, absent_.risks, after->risk_set);
      }
    }
    if (absent_.overflowed) compare_unknown();
  }

  Widening result(std::string_view salt) {
    Widening widening{.blocks = blocks_.size()};
    for (auto& [key, lifted] : lifted_) widening.lifted.push_back(std::move(lifted));
    std::ranges::sort(widening.lifted, [](const LiftedBlock& a, const LiftedBlock& b) {
      const auto version = [](const LiftedBlock& block) {
        return Version::parse(block.to).value_or(Version{});
      };
      return a.to != b.to ? version(a) < version(b) : a.risk < b.risk;
    });
    if (opened_.empty()) return widening;
    Sha256 hash;
    hash.update(framed(salt));
    for (const std::string& one : opened_) {
      if (watch_.ended(looking_up)) return widening;
      hash.update(framed(one));
    }
    widening.id = hash.hex().substr(0, id_digits);
    return widening;
  }

 private:
  /// A risk that an update has lost, and what replaces it.
  struct Loss {
    const std::string* name = nullptr;
    std::string rules;  ///< the rules before and the rules now, each framed
  };

  static std::string lost_all() { return framed("removed"); }

  /// Opens updates without risks that neither the build before nor the withdrawn updates know: they may be
  /// among those that were forgotten.
  void compare_unknown() {
    for (const Architecture& fresh : now_.architectures) {
      const Architecture* const old = before_.find_architecture(fresh.name);
      std::vector<std::optional<std::uint32_t>> position(fresh.releases.size());
      if (old != nullptr) position = positions_in(old, fresh);
      for (const SnapshotEdge& edge : fresh.edges) {
        if (watch_.ended(looking_up)) return;
        if (edge.risk_set != 0) continue;
        const auto from = position[edge.from], to = position[edge.to];
        if (from && to && old->find_edge(*from, *to) != nullptr) continue;
        const std::string& source = fresh.releases[edge.from].text;
        const std::string& target = fresh.releases[edge.to].text;
        if (!absent_.updates.contains({fresh.name, source, target}))
          open(fresh.name, source, target, forgotten, lost_all());
      }
    }
  }

  void open_lost(const std::string& arch, const std::string& from, const std::string& to, const Ids& old,
                 const std::vector<Risk>& old_risks, std::uint32_t fresh) {
    for (const Loss& loss : lost(old, old_risks, fresh)) open(arch, from, to, *loss.name, loss.rules);
  }

  /// Returns the risks of `old` that the set `fresh` lacks, or has with other rules.
  const std::vector<Loss>& lost(const Ids& old, const std::vector<Risk>& old_risks, std::uint32_t fresh) {
    const auto [place, is_new] = lost_.try_emplace({&old, fresh});
    if (!is_new) return place->second;
    std::unordered_map<std::string_view, const Risk*> left;
    for (const std::uint32_t id : now_.risk_sets[fresh]) left.emplace(now_.risks[id].name, &now_.risks[id]);
    for (const std::uint32_t id : old) {
      if (watch_.ended(writing_rules)) return place->second;
      const Risk& was = old_risks[id];
      const auto found = left.find(was.name);
      std::string is = "gone";
      if (found != left.end()) {
        if (found->second->matching_rules == was.matching_rules) continue;
        is = json::to_text(found->second->matching_rules);
        if (is == always_) continue;
      }
      Sha256 rules;
      rules.update(framed(json::to_text(was.matching_rules)));
      rules.update(framed(is));
      place->second.push_back({&was.name, rules.hex()});
    }
    return place->second;
  }

  void block(const std::string& to, const std::string& name) { blocks_.emplace(to, name); }

  void open(const std::string& arch, const std::string& from, const std::string& to, const std::string& name,
            const std::string& rules) {
    block(to, name);
    const bool is_new =
        opened_.insert(framed(arch) + framed(from) + framed(to) + framed(name) + framed(rules)).second;
    if (!is_new) return;
    LiftedBlock& lifted = lifted_[{to, name}];
    if (lifted.edges++ == 0) {
      lifted.to = to;
      lifted.risk = name;
      lifted.first_from = from + "+" + arch;
    }
  }

  const Snapshot& before_;
  const Snapshot& now_;
  const WithdrawnUpdates& absent_;
  Watch& watch_;
  std::string always_;
  std::set<std::pair<std::string, std::string>> blocks_;
  std::set<std::pair<std::uint32_t, std::uint32_t>>
      blocks_seen_;  ///< targets and risk sets of one architecture
  std::map<std::pair<std::string, std::string>, LiftedBlock> lifted_;
  std::map<std::pair<const Ids*, std::uint32_t>, std::vector<Loss>> lost_;
  std::set<std::string> opened_;
};

}  // namespace

Result<Widening> find_widening(const Snapshot& before, const Snapshot& now, const WithdrawnUpdates& absent,
                               std::string_view salt, const Limits& limits, const Clock& clock) {
  Watch watch(limits, clock);
  Comparison comparison(before, now, absent, watch);
  for (const Architecture& architecture : before.architectures)
    comparison.compare(architecture, now.find_architecture(architecture.name));
  comparison.compare_absent();
  Widening widening = comparison.result(salt);
  if (watch.ended()) return watch.why("comparing the graph with the one before it");
  return widening;
}

}  // namespace fairway::graph
