#include "graph/risk_lists.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fairway::graph {
namespace {

/// One risk that stands for several of one name. Bodies are taken in byte order: the result does not depend
/// on the order in which somebody listed them.
Risk stand_for(std::map<std::string, const Risk*> bodies) {
  const Risk& first = *bodies.begin()->second;
  Risk risk{first.url, first.name, {}, always_rule()};
  risk.message =
      std::to_string(bodies.size()) + " different risks are named " + first.name +
      ", so that it is not clear which clusters this concerns; it is taken to concern all of them.";
  for (const auto& [body, one] : bodies) risk.message += " " + one->message + " " + one->url;
  return risk;
}

}  // namespace

std::vector<Risk> one_risk_a_name(std::vector<Risk> risks) {
  if (risks.size() < 2) return risks;
  std::vector<std::string_view> order;
  std::map<std::string_view, std::map<std::string, const Risk*>> by_name;
  for (const auto& risk : risks) {
    auto& bodies = by_name[risk.name];
    if (bodies.empty()) order.push_back(risk.name);
    bodies.emplace(risk.body(), &risk);
  }
  std::vector<Risk> kept;
  kept.reserve(order.size());
  for (const auto& name : order) {
    auto& bodies = by_name[name];
    kept.push_back(bodies.size() == 1 ? *bodies.begin()->second : stand_for(std::move(bodies)));
  }
  return kept;
}

RiskLists::Id RiskLists::add(std::vector<Risk> risks) {
  risks = one_risk_a_name(std::move(risks));
  std::string text;
  for (const auto& risk : risks) risk.append_json(text);
  const auto [entry, added] = by_text_.emplace(std::move(text), static_cast<Id>(lists_.size()));
  if (added) lists_.push_back(std::move(risks));
  return entry->second;
}

RiskLists::Id RiskLists::merge(std::vector<Id> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (ids.size() == 1) return ids.front();
  if (const auto found = merged_.find(ids); found != merged_.end()) return found->second;
  std::vector<Risk> all;
  for (const auto id : ids) all.insert(all.end(), lists_[id].begin(), lists_[id].end());
  all = one_risk_a_name(std::move(all));
  std::sort(all.begin(), all.end(), [](const Risk& a, const Risk& b) { return a.name < b.name; });
  const auto id = add(std::move(all));
  merged_.emplace(std::move(ids), id);
  return id;
}

}  // namespace fairway::graph
