// Build, second part: which edges there are, and what graph data does to them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/build_releases.h"

namespace fairway::graph {

/// Risks and lists of risks, each body kept once.
class RiskTable {
 public:
  explicit RiskTable(Snapshot& snapshot);
  /// Where a risk on an edge comes from: for the message when one name has several bodies.
  struct Origin {
    const Risk* risk;
    const std::string* file;  ///< blocked-edges file, or an upstream's URL
  };
  /// The id of a list of risks in serving order. The same name and body counts once; the same name with
  /// another body becomes one `Always` risk of that name whose message names the files.
  std::uint32_t add_set(const std::vector<Origin>& origins, const std::string& problem_url);

 private:
  std::uint32_t add_risk(const Risk& risk);

  Snapshot& snapshot_;
  std::map<std::string, std::uint32_t> risk_by_body_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> set_by_risks_;
  std::map<const Risk*, std::uint32_t> risk_by_address_;
};

/// Fills `edges` and `removed` of `architecture` from the draft, the upstreams and the graph data.
void build_edges(const DraftArchitecture& draft, const BuildInputs& inputs, const GraphData& data,
                 RiskTable& risks, Architecture& architecture, std::vector<Problem>& problems);

}  // namespace fairway::graph
