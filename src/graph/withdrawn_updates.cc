#include "graph/withdrawn_updates.h"

#include <optional>
#include <utility>

#include "graph/internal/same_releases.h"
#include "graph/internal/watch.h"

namespace fairway::graph {
namespace {

/// Of work, as Watch counts it: to find an update in another build, and note it.
constexpr std::size_t looking_up = 16;

class Collector {
 public:
  explicit Collector(std::size_t limit) : limit_(limit) {}

  void add(WithdrawnUpdates::Ends ends, const std::vector<std::uint32_t>& risks,
           const std::vector<Risk>& of) {
    if (out_.updates.size() >= limit_ && !out_.updates.contains(ends)) {
      out_.overflowed = true;
      return;
    }
    std::vector<std::uint32_t>& known = out_.updates[std::move(ends)];
    known.clear();
    for (const std::uint32_t risk : risks) {
      const auto [place, is_new] =
          by_body_.emplace(of[risk].body(), static_cast<std::uint32_t>(out_.risks.size()));
      if (is_new) out_.risks.push_back(of[risk]);
      known.push_back(place->second);
    }
  }

  WithdrawnUpdates take(bool overflowed) {
    out_.overflowed = out_.overflowed || overflowed;
    return std::move(out_);
  }

 private:
  const std::size_t limit_;
  WithdrawnUpdates out_;
  std::map<std::string, std::uint32_t> by_body_;
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

}  // namespace fairway::graph
