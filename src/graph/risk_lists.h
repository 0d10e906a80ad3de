// Lists of risks as edges carry them: each list once, each risk in a list once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/risk.h"

namespace fairway::graph {

/// One risk a name: the same name and body counts once; one name with several bodies becomes one `Always`
/// risk of that name, whose message says so and holds the messages of all. The order is that of first
/// appearance.
std::vector<Risk> one_risk_a_name(std::vector<Risk> risks);

/// A pool of lists of risks, by id. Equal lists have one id.
class RiskLists {
 public:
  using Id = std::uint32_t;
  /// Goes through `one_risk_a_name` first.
  Id add(std::vector<Risk> risks);
  /// All risks of several lists in one list: in order of names, whatever the order of `ids`.
  Id merge(std::vector<Id> ids);
  const std::vector<Risk>& at(Id id) const { return lists_[id]; }

 private:
  std::vector<std::vector<Risk>> lists_;
  std::map<std::string, Id> by_text_;
  std::map<std::vector<Id>, Id> merged_;
};

}  // namespace fairway::graph
