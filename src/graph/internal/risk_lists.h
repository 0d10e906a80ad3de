// SPDX-License-Identifier: Apache-2.0

// Lists of risks as edges carry them: each body once, each list once, each name once in a list.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/risk.h"

namespace fairway::graph {

/// A pool of risks and of lists of risks, by id. Equal bodies have one id, and so have equal lists.
///
/// A list holds one risk a name: the same name and body counts once; one name with several bodies becomes one
/// `Always` risk of that name, whose message says so. Consumers key risks by name, and neither body may win
/// by chance. If such a risk is merged with others of its name, the bodies that it stands for are merged, so
/// that no text is repeated.
class RiskLists {
 public:
  using RiskId = std::uint32_t;
  using Id = std::uint32_t;
  /// The list without any risk.
  static constexpr Id none = 0;

  /// A risk that is added to a list, and its source: a blocked-edges file, or an upstream's URL. Entries of a
  /// list from a single source have no source.
  struct Entry {
    RiskId risk = 0;
    const std::string* source = nullptr;
  };

  /// Makes an empty pool; `problem_url` is the URL of risks that stand for several of which none has a url.
  explicit RiskLists(std::string problem_url);

  RiskId add_risk(const Risk& risk);
  /// Adds a list, in the order in which each name appears first.
  Id add(const std::vector<Entry>& entries);
  Id add(const std::vector<Risk>& risks);
  /// Merges the risks of several lists into one list, in order of names, whatever the order of `ids`.
  Id merge(std::vector<Id> ids);

  const std::vector<RiskId>& at(Id list) const { return lists_[list]; }
  /// Returns the risks of a list.
  std::vector<Risk> risks_of(Id list) const;

  /// Returns the risks that stand for several of one name on which sources disagree.
  const std::set<RiskId>& disputed() const { return disputed_; }
  const Risk& risk(RiskId id) const { return risks_[id]; }
  /// Returns the number of risks in all lists together, as a measure of their cost.
  std::size_t listed() const { return listed_; }

  /// Moves out all risks and all lists, by id; nothing may be added after that.
  std::vector<Risk> take_risks() { return std::move(risks_); }
  std::vector<std::vector<RiskId>> take_lists() { return std::move(lists_); }

 private:
  struct SameName;

  std::vector<RiskId> unique_by_name(const std::vector<Entry>& entries);
  RiskId representative_of(SameName same);
  Id intern(std::vector<RiskId> list);

  const std::string problem_url_;
  std::vector<Risk> risks_;
  std::vector<std::vector<RiskId>> lists_;
  std::map<std::string, RiskId> by_body_;
  std::map<std::vector<RiskId>, Id> by_risks_;
  std::map<std::vector<Id>, Id> merged_;
  std::map<RiskId, std::vector<RiskId>> stands_for_;  ///< bodies that a merged risk stands for
  std::set<RiskId> disputed_;
  std::size_t listed_ = 0;
};

}  // namespace fairway::graph
