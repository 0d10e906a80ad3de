// SPDX-License-Identifier: Apache-2.0

#include "graphdata/lint/queries.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "graphdata/internal/lint/context.h"
#include "graphdata/internal/scalar_place.h"

namespace fairway::graphdata {

namespace {

/// Calls `visit(file, query)` for the scalar of each query, in byte order of the files.
template <class Visit>
void for_each_query(const Files& files, Budget& budget, const Visit& visit) {
  for (const auto& [path, text] : files) {
    if (!is_blocked_edge(path)) continue;
    const BlockedEdgeFile file = read_blocked_edge(path, text, budget);
    const yaml::Node* mapping = file.mapping();
    const yaml::Node* rules = mapping != nullptr ? mapping->find("matchingRules") : nullptr;
    if (rules == nullptr) continue;
    for (const yaml::Node& rule : rules->items) {
      if (const yaml::Node* query = query_of(rule)) visit(file, *query);
    }
  }
}

}  // namespace

std::vector<RiskQuery> changed_queries(const LintInputs& inputs) {
  Budget budget;
  std::set<std::string, std::less<>> known;
  if (inputs.base) {
    for_each_query(*inputs.base, budget, [&known](const BlockedEdgeFile&, const yaml::Node& query) {
      known.emplace(trim(query.scalar));
    });
  }
  Budget own;
  std::vector<RiskQuery> queries;
  for_each_query(inputs.files, own, [&](const BlockedEdgeFile& file, const yaml::Node& query) {
    const std::string_view text = trim(query.scalar);
    if (!known.emplace(text).second) return;
    IndexedText indexed(inputs.files.at(file.file));
    const yaml::Node* name = file.mapping()->find("name");
    queries.push_back(
        {.query = std::string(text),
         .risk = name != nullptr && name->is_scalar() ? name->scalar : "",
         .place = place_in_scalar(file.file, indexed, query, query.scalar.find_first_not_of(" \t\r\n"))});
  });
  return queries;
}

}  // namespace fairway::graphdata
