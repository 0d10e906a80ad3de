// The findings of `fairway lint` as text for people, JSON, GitHub annotations and SARIF.
#pragma once

#include <string>
#include <vector>

#include "graphdata/lint/lint.h"

namespace fairway::cli {

struct LintReport {
  /// Prefix of the paths of findings: the folder as given by the user, with a final "/", or "".
  std::string prefix;
  const graphdata::Files& files;
  std::vector<graphdata::Finding> findings;

  std::size_t count(graphdata::Severity severity) const;
};

/// Grouped by file, with the offending text marked under its line, and a summary line.
std::string to_lint_text(const LintReport& report);
/// {"findings":[{"severity","rule","file","line","column","text","message","fix"}],"errors","warnings"}
std::string to_lint_json(const LintReport& report);
/// GitHub Actions' workflow commands: one annotation per finding.
std::string to_lint_github(const LintReport& report);
/// SARIF 2.1.0.
std::string to_lint_sarif(const LintReport& report);

}  // namespace fairway::cli
