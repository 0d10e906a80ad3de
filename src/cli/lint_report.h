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
  /// What the changed queries give; absent without --metrics.
  std::optional<std::vector<QueryResults>> results = {};
  /// How many files of metrics they were tried on.
  std::size_t snapshots = 0;

  /// Of all findings. Of one rule in one file the first 100 are shown, and one more that counts the others.
  std::size_t count(graphdata::Severity severity) const;
};

/// Grouped by file, with the offending text marked under its line, and a summary line; then the results.
std::string to_lint_text(const LintReport& report);
/// {"findings":[{"severity","rule","file","line","column","text","message","fix"}],"errors","warnings",
/// "queries"?} (to_metrics_json)
std::string to_lint_json(const LintReport& report);
/// GitHub Actions' workflow commands: one annotation per finding, and a notice per query tried.
std::string to_lint_github(const LintReport& report);
/// SARIF 2.1.0, of the findings.
std::string to_lint_sarif(const LintReport& report);

}  // namespace fairway::cli
