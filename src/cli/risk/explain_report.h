// The report of `fairway risk explain`, as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/risk/published_risks.h"
#include "risk/answer.h"
#include "risk/explanation.h"

namespace fairway::cli {

/// A rule of a risk, in its order.
struct ExplainedRule {
  std::string type;   ///< "" where it has none
  std::string query;  ///< "" where nothing is asked
  /// Absent for a rule that is skipped (`skipped` says why), or that an earlier one has decided before.
  std::optional<risk::Answer> answer;
  std::string skipped;
  risk::Explanation explanation;
};

struct ExplainedRisk {
  PublishedRisk published;
  risk::Outcome outcome = risk::Outcome::failed;
  std::vector<ExplainedRule> rules;
};

struct ExplainReport {
  /// When the queries were evaluated, and where.
  std::string time, source;
  /// When a cluster that asks now asks again at the earliest; absent where nobody was asked.
  std::optional<WallTime> next;
  /// Different bodies of one name.
  std::vector<ExplainedRisk> risks;
};

/// The verdict, then for each rule the results of its parts, indented by what they lie within, and the
/// metrics that it names.
std::string as_table(const ExplainReport& report);

/// {"time","source","next"?,"risks":[{"name","url","targets":[],"verdict","rules":[{"type","query"?,
/// "verdict"?,"value"?,"error"?,"skipped"?,"branches":[{"query","depth","type"?,"value"?,
/// "samples"?:[{"labels":{},"value"}],"series"?:[{"labels":{},"samples"}],"error"?}],
/// "metrics":[{"name","series"?,"error"?}]}]}]}
std::string as_json(const ExplainReport& report);

}  // namespace fairway::cli
