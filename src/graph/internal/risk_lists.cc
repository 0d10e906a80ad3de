// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/risk_lists.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace fairway::graph {

namespace {

/// Most sources or texts that one risk names when it stands for several.
constexpr std::size_t max_named = 20;

std::string and_more(std::size_t all) {
  return all > max_named ? " and " + std::to_string(all - max_named) + " more" : "";
}

/// Distinct texts in the order in which they were added.
class UniqueTexts {
 public:
  void add(std::string_view text) {
    if (!text.empty() && known_.insert(text).second) texts_.push_back(text);
  }
  std::string join_first(std::size_t most, std::string_view separator) const {
    std::string joined;
    for (std::size_t i = 0; i < std::min(most, texts_.size()); ++i) {
      if (i != 0) joined += separator;
      joined += texts_[i];
    }
    return joined;
  }
  std::size_t size() const { return texts_.size(); }

 private:
  std::set<std::string_view> known_;
  std::vector<std::string_view> texts_;
};

}  // namespace

/// The entries of a list that share one name.
struct RiskLists::SameName {
  std::vector<RiskId> bodies;        ///< distinct bodies
  std::vector<std::string> sources;  ///< distinct sources; empty if they are not distinguished
  std::set<RiskId> known_bodies;
  std::set<std::string_view> known_sources;

  void add(RiskId body) {
    if (known_bodies.insert(body).second) bodies.push_back(body);
  }
};

RiskLists::RiskLists(std::string problem_url)
    : problem_url_(std::move(problem_url)), lists_(1), by_risks_{{{}, none}} {}

RiskLists::RiskId RiskLists::add_risk(const Risk& risk) {
  const auto [place, is_new] = by_body_.emplace(risk.body(), static_cast<RiskId>(risks_.size()));
  if (is_new) risks_.push_back(risk);
  return place->second;
}

RiskLists::Id RiskLists::add(const std::vector<Entry>& entries) {
  return intern(unique_by_name(entries));
}

RiskLists::Id RiskLists::add(const std::vector<Risk>& risks) {
  std::vector<Entry> entries;
  entries.reserve(risks.size());
  for (const Risk& risk : risks) entries.push_back({add_risk(risk)});
  return add(entries);
}

RiskLists::Id RiskLists::merge(std::vector<Id> ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (ids.size() == 1) return ids.front();
  if (const auto found = merged_.find(ids); found != merged_.end()) return found->second;
  std::vector<Entry> entries;
  for (const Id id : ids) {
    for (const RiskId risk : lists_[id]) entries.push_back({risk});
  }
  std::vector<RiskId> list = unique_by_name(entries);
  std::ranges::sort(list, {}, [this](RiskId id) -> const std::string& { return risks_[id].name; });
  const Id merged = intern(std::move(list));
  merged_.emplace(std::move(ids), merged);
  return merged;
}

std::vector<Risk> RiskLists::risks_of(Id list) const {
  std::vector<Risk> risks;
  risks.reserve(lists_[list].size());
  for (const RiskId id : lists_[list]) risks.push_back(risks_[id]);
  return risks;
}

std::vector<RiskLists::RiskId> RiskLists::unique_by_name(const std::vector<Entry>& entries) {
  std::vector<SameName> by_name;  // in the order of the first appearance
  std::unordered_map<std::string, std::size_t> index;
  for (const Entry& entry : entries) {
    const auto [place, is_new] = index.emplace(risks_[entry.risk].name, by_name.size());
    if (is_new) by_name.emplace_back();
    SameName& same = by_name[place->second];
    const auto several = entry.source == nullptr ? stands_for_.find(entry.risk) : stands_for_.end();
    if (several == stands_for_.end()) {
      same.add(entry.risk);
    } else {
      for (const RiskId body : several->second) same.add(body);
    }
    if (entry.source != nullptr && same.known_sources.insert(*entry.source).second)
      same.sources.push_back(*entry.source);
  }
  std::vector<RiskId> list;
  list.reserve(by_name.size());
  for (SameName& same : by_name) {
    list.push_back(same.bodies.size() == 1 ? same.bodies.front() : representative_of(std::move(same)));
  }
  return list;
}

/// Returns one risk that stands for several of one name.
RiskLists::RiskId RiskLists::representative_of(SameName same) {
  // Without known sources their order has no meaning.
  if (same.sources.empty()) {
    std::ranges::sort(same.bodies, {}, [this](RiskId id) { return risks_[id].body(); });
  }
  const Risk& first = risks_[same.bodies.front()];
  Risk risk{first.url.empty() ? problem_url_ : first.url, first.name, {}, always_rule()};
  if (first.name == graph_data_not_understood) {
    // These do not disagree: each names a fault of its own, or several, one a line.
    UniqueTexts faults;
    for (const RiskId body : same.bodies) {
      for (const std::string_view fault : split(risks_[body].message, '\n')) faults.add(fault);
    }
    risk.message = faults.join_first(max_named, "\n") + and_more(faults.size());
  } else if (!same.sources.empty()) {
    const std::string more = and_more(same.sources.size());
    same.sources.resize(std::min(same.sources.size(), max_named));
    risk.message = "The risk " + first.name + " is described in different ways by " +
                   join(same.sources, ", ") + more + "; until these agree, it concerns every cluster.";
    const RiskId id = add_risk(risk);
    disputed_.insert(id);
    return id;
  } else {
    UniqueTexts texts;
    for (std::size_t i = 0; i < std::min(same.bodies.size(), max_named); ++i) {
      const Risk& body = risks_[same.bodies[i]];
      texts.add(body.message);
      texts.add(body.url);
    }
    risk.message =
        std::to_string(same.bodies.size()) + " different risks are named " + first.name +
        ", so that it is not clear which clusters this concerns; it is taken to concern all of them. " +
        texts.join_first(texts.size(), " ") + and_more(same.bodies.size());
  }
  const RiskId id = add_risk(risk);
  stands_for_.emplace(id, std::move(same.bodies));
  return id;
}

RiskLists::Id RiskLists::intern(std::vector<RiskId> list) {
  const auto [place, is_new] = by_risks_.emplace(list, static_cast<Id>(lists_.size()));
  if (is_new) {
    listed_ += list.size();
    lists_.push_back(std::move(list));
  }
  return place->second;
}

}  // namespace fairway::graph
