// The presubmit for graph data: findings with position, offending text and mend.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/release.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

enum class Severity { error, warning };

struct Finding {
  Severity severity = Severity::warning;
  std::string rule;  ///< stable, kebab-case: "from-regex", "url-https", ...
  graph::Place place;
  std::string text;     ///< the offending text, one line
  std::string message;  ///< what is wrong and what it does
  std::string mend;     ///< what to write instead
};

struct LintInputs {
  Files files;
  std::optional<Files> base;             ///< what it was before; absent: every file counts as old
  std::vector<graph::Release> releases;  ///< empty: what needs releases is not checked
};

/// Whether a path relative to the repository's root is one that lint looks at: what `counts` chooses, the
/// internal channels (channels are fed by them), and whatever looks like graph data that nobody reads.
bool lint_wants(std::string_view path);

/// All findings, sorted by file, line, column, rule.
std::vector<Finding> lint(const LintInputs& inputs);

struct LintRule {
  std::string id;
  /// `texts` is a warning in files that the base has.
  Severity severity = Severity::warning;
  std::string description;
};
/// Every rule that `lint` knows, sorted by id, for SARIF and the documentation.
const std::vector<LintRule>& lint_rules();

}  // namespace fairway::graphdata
