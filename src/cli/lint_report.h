// SPDX-License-Identifier: Apache-2.0

// The findings of `fairway lint` as text for people, JSON, GitHub annotations and SARIF.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/lint_metrics.h"
#include "graphdata/lint/lint.h"

namespace fairway::cli {

struct LintReport {
  /// Prefix of the paths of findings: the folder as given by the user, with a final "/", or "".
  std::string prefix;
  const graphdata::Files& files;
  std::vector<graphdata::Finding> findings;
  /// Results of the changed queries; absent without --metrics.
  std::optional<std::vector<QueryResults>> results = {};
  /// Number of files of metrics that the queries were run on.
  std::size_t snapshots = 0;

  /// Returns the number of findings of a severity. All are counted; of one rule in one file only the first
  /// 100 are shown, and one more that counts the others.
  std::size_t count(graphdata::Severity severity) const;
};

/// Returns the findings grouped by file, with the offending text marked under its line, and a summary line;
/// then the results.
std::string to_lint_text(const LintReport& report);
/// Returns JSON:
/// {"findings":[{"severity","rule","file","line","column","text","message","fix"}],"errors","warnings",
/// "queries"?} (to_metrics_json).
std::string to_lint_json(const LintReport& report);
/// Returns GitHub Actions' workflow commands: one annotation per finding, and a notice per query tried.
std::string to_lint_github(const LintReport& report);
/// Returns SARIF 2.1.0 with the findings.
std::string to_lint_sarif(const LintReport& report);

}  // namespace fairway::cli
