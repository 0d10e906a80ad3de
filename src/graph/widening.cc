#include "graph/widening.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/digest.h"
#include "base/json.h"

namespace fairway::graph {
namespace {

constexpr std::size_t id_digits = 32;
/// Stands for "not served" among names of risks, of which none is empty.
const std::string not_served;

/// Compares the updates of two builds of one architecture.
class Comparison {
 public:
  Comparison(const Snapshot& before, const Snapshot& now) : before_(before), now_(now) {
    always_ = json::to_text(always_rule());
  }

  void compare(const Architecture& old, const Architecture* fresh) {
    old_ = &old;
    fresh_ = fresh;
    find_releases();
    for (const RemovedEdge& edge : old.removed) {
      if (edge.why == RemovedEdge::Why::left_out) continue;
      block(edge.to, not_served);
      if (served_now(edge.from, edge.to) != nullptr) open(edge.from, edge.to, not_served);
    }
    for (const SnapshotEdge& edge : old.edges) {
      if (edge.risk_set == 0) continue;
      for (const std::uint32_t risk : before_.risk_sets[edge.risk_set])
        block(edge.to, before_.risks[risk].name);
      const SnapshotEdge* const after = served_now(edge.from, edge.to);
      if (after == nullptr) continue;
      for (const std::string* name : lost(edge.risk_set, after->risk_set)) open(edge.from, edge.to, *name);
    }
  }

  Widening result() {
    Widening widening{.blocks = blocks_.size()};
    for (auto& [key, lifted] : lifted_) widening.lifted.push_back(std::move(lifted));
    std::ranges::sort(widening.lifted, [](const LiftedBlock& a, const LiftedBlock& b) {
      const auto version = [](const LiftedBlock& block) {
        return Version::parse(block.to).value_or(Version{});
      };
      return a.to != b.to ? version(a) < version(b) : a.risk < b.risk;
    });
    if (opened_.empty()) return widening;
    std::ranges::sort(opened_);
    Sha256 hash;
    for (const std::string& one : opened_) hash.update(one);
    widening.id = hash.hex().substr(0, id_digits);
    return widening;
  }

 private:
  /// Where the releases of the old build are in the new one: both are sorted.
  void find_releases() {
    position_.assign(old_->releases.size(), std::nullopt);
    if (fresh_ == nullptr) return;
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < position_.size(); ++i) {
      while (at < fresh_->releases.size() && fresh_->releases[at].version < old_->releases[i].version) ++at;
      if (at < fresh_->releases.size() && fresh_->releases[at].text == old_->releases[i].text)
        position_[i] = at;
    }
  }

  const SnapshotEdge* served_now(std::uint32_t from, std::uint32_t to) const {
    if (!position_[from] || !position_[to]) return nullptr;
    return fresh_->find_edge(*position_[from], *position_[to]);
  }

  /// The names of risks of `old` that `fresh` lacks, or has with other rules.
  const std::vector<const std::string*>& lost(std::uint32_t old, std::uint32_t fresh) {
    const auto [place, is_new] = lost_.try_emplace({old, fresh});
    if (!is_new) return place->second;
    for (const std::uint32_t id : before_.risk_sets[old]) {
      const Risk& was = before_.risks[id];
      const auto& left = now_.risk_sets[fresh];
      const bool kept = std::ranges::any_of(left, [&](std::uint32_t other) {
        const Risk& is = now_.risks[other];
        if (is.name != was.name) return false;
        return is.matching_rules == was.matching_rules || json::to_text(is.matching_rules) == always_;
      });
      if (!kept) place->second.push_back(&was.name);
    }
    return place->second;
  }

  void block(std::uint32_t to, const std::string& name) { blocks_.emplace(old_->releases[to].text, name); }

  void open(std::uint32_t from, std::uint32_t to, const std::string& name) {
    const std::string& target = old_->releases[to].text;
    const std::string source = old_->releases[from].text + "+" + old_->name;
    LiftedBlock& lifted = lifted_[{target, name}];
    if (lifted.edges++ == 0) {
      lifted.to = target;
      lifted.risk = name;
      lifted.first_from = source;
    }
    opened_.push_back(source + " " + target + " " + name + "\n");
  }

  const Snapshot& before_;
  const Snapshot& now_;
  const Architecture* old_ = nullptr;
  const Architecture* fresh_ = nullptr;
  std::string always_;
  std::vector<std::optional<std::uint32_t>> position_;
  std::set<std::pair<std::string, std::string>> blocks_;
  std::map<std::pair<std::string, std::string>, LiftedBlock> lifted_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const std::string*>> lost_;
  std::vector<std::string> opened_;
};

}  // namespace

Widening find_widening(const Snapshot& before, const Snapshot& now) {
  Comparison comparison(before, now);
  for (const Architecture& architecture : before.architectures)
    comparison.compare(architecture, now.find_architecture(architecture.name));
  return comparison.result();
}

}  // namespace fairway::graph
