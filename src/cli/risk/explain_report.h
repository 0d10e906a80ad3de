// SPDX-License-Identifier: Apache-2.0

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
  std::string type;   ///< "" if it has none
  std::string query;  ///< "" if the rule has no query
  /// Absent for a rule that is skipped (`skipped` is the reason), or that was already decided by an earlier
  /// one.
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
  /// Time and place of the evaluation of the queries.
  std::string time, source;
  /// Earliest time at which a cluster that evaluates now would evaluate again; absent if no server was asked.
  std::optional<WallTime> next;
  /// Different bodies of risks with one name.
  std::vector<ExplainedRisk> risks;
};

/// Returns the verdict, then for each rule the results of its parts, indented by nesting, and the metrics
/// that it names.
std::string as_table(const ExplainReport& report);

/// Returns {"time","source","next"?,"risks":[{"name","url","targets":[],"verdict","rules":[{"type","query"?,
/// "verdict"?,"value"?,"error"?,"skipped"?,"branches":[{"query","depth","type"?,"value"?,
/// "samples"?:[{"labels":{},"value"}],"series"?:[{"labels":{},"samples"}],"error"?}],
/// "metrics":[{"name","series"?,"error"?}]}]}]}.
std::string as_json(const ExplainReport& report);

}  // namespace fairway::cli
