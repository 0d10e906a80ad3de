// The findings of `fairway lint` as text for people, JSON, GitHub annotations and SARIF.
#pragma once

#include <string>
#include <vector>

#include "graphdata/lint/lint.h"

namespace fairway::cli {

struct LintReport {
  /// What the paths of findings are put behind: the folder as its readers know it, with a final "/", or "".
  std::string prefix;
  const graphdata::Files& files;
  std::vector<graphdata::Finding> findings;

  std::size_t count(graphdata::Severity severity) const;
};

/// Grouped by file, the offending text marked under its line, and a line with the numbers.
std::string to_lint_text(const LintReport& report);
/// {"findings":[{"severity","rule","file","line","column","text","message","mend"}],"errors","warnings"}
std::string to_lint_json(const LintReport& report);
/// GitHub Actions' workflow commands: one annotation a finding.
std::string to_lint_github(const LintReport& report);
/// SARIF 2.1.0.
std::string to_lint_sarif(const LintReport& report);

}  // namespace fairway::cli
