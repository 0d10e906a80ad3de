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
/// by chance. Where such a one meets others of its name, what it stands for counts, so that no text is
/// repeated.
class RiskLists {
 public:
  using RiskId = std::uint32_t;
  using Id = std::uint32_t;
  /// The list without any risk.
  static constexpr Id none = 0;

  /// A risk that goes into a list, and who says it: a blocked-edges file, or an upstream's URL. Without a
  /// source all of the list is of one.
  struct Entry {
    RiskId risk = 0;
    const std::string* source = nullptr;
  };

  /// `problem_url`: where risks point that stand for several and of which none has a url.
  explicit RiskLists(std::string problem_url);

  RiskId add_risk(const Risk& risk);
  /// In the order in which each name appears first.
  Id add(const std::vector<Entry>& entries);
  Id add(const std::vector<Risk>& risks);
  /// All risks of several lists in one list: in order of names, whatever the order of `ids`.
  Id merge(std::vector<Id> ids);

  const std::vector<RiskId>& at(Id list) const { return lists_[list]; }
  /// The risks of a list.
  std::vector<Risk> risks_of(Id list) const;

  /// The risks that stand for several of one name on which sources disagree.
  const std::set<RiskId>& disputed() const { return disputed_; }
  const Risk& risk(RiskId id) const { return risks_[id]; }
  /// The risks of all lists together: what they cost.
  std::size_t listed() const { return listed_; }

  /// All risks and all lists by id; nothing may be added after that.
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
  std::map<RiskId, std::vector<RiskId>> stands_for_;  ///< bodies that one risk tells the texts of
  std::set<RiskId> disputed_;
  std::size_t listed_ = 0;
};

}  // namespace fairway::graph
