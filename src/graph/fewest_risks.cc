// SPDX-License-Identifier: Apache-2.0

#include "graph/fewest_risks.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <queue>
#include <span>
#include <tuple>

namespace fairway::graph {
namespace {

using Bits = std::span<const std::uint64_t>;

/// Most partial paths that one search makes.
constexpr std::size_t max_labels = 30'000;
constexpr std::uint32_t none = UINT32_MAX;

std::uint32_t size_of_union(Bits a, Bits b) {
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) size += static_cast<std::uint32_t>(std::popcount(a[i] | b[i]));
  return size;
}

/// A search backward from the target, best partial path first. Updates lead to later releases only, so that
/// the order of releases is one in which bounds are known before they are used, and no path has a loop.
class Search {
 public:
  Search(const MergedGraph& graph, const FewestRisksQuestion& question)
      : graph_(graph), question_(question), words_(graph.names / 64 + 1) {
    set_risks();
    set_bounds();
  }

  FewestRisksAnswer run();

 private:
  /// A path from `release` to the target.
  struct Label {
    std::uint32_t release = 0;
    std::uint32_t update = none, rest = none;  ///< the first update, and the label of what follows
    std::uint32_t hops = 0, outside = 0;
    std::uint32_t risks_at_least = 0;  ///< risks of any path through here
  };
  using Number = std::uint32_t;

  Bits bits(const std::vector<std::uint64_t>& of, std::size_t number) const {
    return Bits(of).subspan(number * words_, words_);
  }
  bool is_taken(const MergedGraph::Update& update) const {
    return !question_.only_preferred || !is_outside(update);
  }
  bool is_outside(const MergedGraph::Update& update) const {
    return std::ranges::none_of(update.channels, [&](auto channel) { return question_.preferred[channel]; });
  }
  void set_risks();
  void set_bounds();
  void extend(Number label);
  bool is_beaten(Number label) const;
  /// Returns the order in which labels are looked at.
  auto rank(const Label& label) const {
    const std::uint32_t next = label.update == none ? 0 : graph_.updates[label.update].to;
    return std::tuple(label.risks_at_least, label.hops + hops_to_[label.release], label.outside, none - next);
  }
  std::vector<std::uint32_t> path_of(Number label) const;
  std::vector<std::uint32_t> guess() const;

  const MergedGraph& graph_;
  const FewestRisksQuestion& question_;
  const std::size_t words_;
  std::vector<std::uint64_t> list_bits_;  ///< for each list of risks the names that count
  /// For each release: fewest hops from the start (`none`: no path), the names that all paths from the start
  /// have, and a number of names that none of them is below.
  std::vector<std::uint32_t> hops_to_, least_;
  std::vector<std::uint64_t> certain_;
  std::vector<Label> labels_;
  std::vector<std::uint64_t> label_bits_;
  std::vector<std::vector<Number>> settled_;  ///< for each release the labels that were extended
};

void Search::set_risks() {
  list_bits_.assign(graph_.risk_lists.size() * words_, 0);
  for (std::size_t list = 0; list < graph_.risk_lists.size(); ++list) {
    for (const std::uint32_t risk : graph_.risk_lists[list]) {
      if (!question_.counts[risk]) continue;
      const std::uint32_t name = graph_.name_of[risk];
      list_bits_[list * words_ + name / 64] |= std::uint64_t{1} << name % 64;
    }
  }
}

void Search::set_bounds() {
  const std::size_t count = graph_.releases.size();
  hops_to_.assign(count, none);
  least_.assign(count, 0);
  certain_.assign(count * words_, 0);
  settled_.resize(count);
  hops_to_[question_.from] = 0;
  std::vector<std::uint64_t> both(words_);
  for (std::uint32_t release = question_.from + 1; release <= question_.to; ++release) {
    for (const std::uint32_t position : graph_.incoming[release]) {
      const auto& update = graph_.updates[position];
      if (update.from < question_.from || hops_to_[update.from] == none || !is_taken(update)) continue;
      const Bits before = bits(certain_, update.from), own = bits(list_bits_, update.risks);
      const bool is_first = hops_to_[release] == none;
      std::uint32_t size = 0;
      for (std::size_t i = 0; i < words_; ++i) {
        both[i] = before[i] | own[i];
        size += static_cast<std::uint32_t>(std::popcount(both[i]));
        auto& certain = certain_[release * words_ + i];
        certain = is_first ? both[i] : certain & both[i];
      }
      const std::uint32_t least = std::max(least_[update.from], size);
      least_[release] = is_first ? least : std::min(least_[release], least);
      hops_to_[release] = std::min(hops_to_[release], hops_to_[update.from] + 1);
    }
  }
}

/// Returns whether another path from the same release is as good, whatever comes before it.
bool Search::is_beaten(Number label) const {
  const Label& own = labels_[label];
  const Bits risks = bits(label_bits_, label);
  return std::ranges::any_of(settled_[own.release], [&](Number other) {
    const Label& theirs = labels_[other];
    if (std::pair(theirs.hops, theirs.outside) > std::pair(own.hops, own.outside)) return false;
    const Bits those = bits(label_bits_, other);
    for (std::size_t i = 0; i < words_; ++i)
      if ((those[i] & ~risks[i]) != 0) return false;
    return true;
  });
}

void Search::extend(Number label) {
  const Label own = labels_[label];
  for (const std::uint32_t position : graph_.incoming[own.release]) {
    const auto& update = graph_.updates[position];
    if (update.from < question_.from || hops_to_[update.from] == none || !is_taken(update)) continue;
    const auto next = static_cast<Number>(labels_.size());
    label_bits_.resize(label_bits_.size() + words_);
    for (std::size_t i = 0; i < words_; ++i) {
      label_bits_[next * words_ + i] =
          label_bits_[label * words_ + i] | list_bits_[update.risks * words_ + i];
    }
    labels_.push_back({.release = update.from,
                       .update = position,
                       .rest = label,
                       .hops = own.hops + 1,
                       .outside = own.outside + (is_outside(update) ? 1 : 0)});
    labels_.back().risks_at_least =
        std::max(size_of_union(bits(label_bits_, next), bits(certain_, update.from)), least_[update.from]);
    // It is not kept if nothing can come of it.
    if (!is_beaten(next)) continue;
    labels_.pop_back();
    label_bits_.resize(label_bits_.size() - words_);
  }
}

std::vector<std::uint32_t> Search::path_of(Number label) const {
  std::vector<std::uint32_t> path;
  for (; labels_[label].update != none; label = labels_[label].rest) path.push_back(labels_[label].update);
  return path;
}

/// Returns a path by the best bound at each hop, for a search that ended early.
std::vector<std::uint32_t> Search::guess() const {
  std::vector<std::uint32_t> path;
  for (std::uint32_t release = question_.to; release != question_.from;) {
    std::optional<std::uint32_t> best;
    std::tuple<std::uint32_t, std::uint32_t> best_rank;
    for (const std::uint32_t position : graph_.incoming[release]) {
      const auto& update = graph_.updates[position];
      if (update.from < question_.from || hops_to_[update.from] == none || !is_taken(update)) continue;
      const std::tuple rank(size_of_union(bits(certain_, update.from), bits(list_bits_, update.risks)),
                            hops_to_[update.from]);
      if (best && rank >= best_rank) continue;
      best = position;
      best_rank = rank;
    }
    path.push_back(*best);
    release = graph_.updates[*best].from;
  }
  std::ranges::reverse(path);
  return path;
}

FewestRisksAnswer Search::run() {
  FewestRisksAnswer answer;
  if (question_.from >= question_.to || hops_to_[question_.to] == none || question_.count == 0) return answer;
  const auto later = [this](Number a, Number b) {
    const auto of_a = rank(labels_[a]), of_b = rank(labels_[b]);
    return of_a != of_b ? of_a > of_b : a > b;
  };
  std::priority_queue<Number, std::vector<Number>, decltype(later)> open(later);
  labels_.push_back({.release = question_.to});
  label_bits_.resize(words_);
  open.push(0);
  std::uint32_t most_hops = none - 1;
  while (!open.empty() && answer.paths.size() < question_.count) {
    const Number label = open.top();
    open.pop();
    const Label& own = labels_[label];
    if (own.hops + hops_to_[own.release] > most_hops || is_beaten(label)) continue;
    if (own.release == question_.from) {
      answer.paths.push_back(path_of(label));
      if (own.hops == hops_to_[question_.to]) break;  // none has fewer hops
      most_hops = own.hops - 1;
      continue;
    }
    settled_[own.release].push_back(label);
    if (labels_.size() > max_labels) {
      answer.is_complete = false;
      break;
    }
    const auto first = static_cast<Number>(labels_.size());
    extend(label);
    for (Number next = first; next < labels_.size(); ++next) open.push(next);
  }
  if (answer.paths.empty()) answer.paths.push_back(guess());
  return answer;
}

}  // namespace

FewestRisksAnswer find_fewest_risks(const MergedGraph& graph, const FewestRisksQuestion& question) {
  return Search(graph, question).run();
}

std::uint32_t highest_reached(const MergedGraph& graph, std::uint32_t from) {
  std::vector<bool> reached(graph.releases.size());
  reached[from] = true;
  std::uint32_t highest = from;
  for (const auto& update : graph.updates) {
    if (!reached[update.from]) continue;
    reached[update.to] = true;
    highest = std::max(highest, update.to);
  }
  return highest;
}

}  // namespace fairway::graph
