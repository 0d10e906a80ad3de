// The presubmit for graph data: findings with position, offending text and fix.
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
  std::string message;  ///< what is wrong, and its effect
  std::string fix;      ///< what to write instead
};

struct LintInputs {
  Files files;
  std::optional<Files> base;             ///< the files before the change; absent: every file counts as old
  std::vector<graph::Release> releases;  ///< empty: rules that need releases are not run
  /// Paths (relative to the repository's root) of which Git holds a link or a submodule.
  std::vector<std::string> links = {};
};

/// Returns whether lint reads a path (relative to the repository's root): those that `counts` accepts, the
/// internal channels (which feed channels), and files that look like graph data but are not loaded.
bool is_linted(std::string_view path);

/// Returns whether sources that are Git repositories refuse all of the data where the path is a link or a
/// submodule.
bool is_refused_as_link(std::string_view path);

/// Reads what lint reads of a folder, as read_directory does. Of `links` (as LintInputs has them) those that
/// lead out of it, or nowhere, are left out: there is a finding on each.
Result<Files> read_linted(const std::string& directory, const std::vector<std::string>& links);

/// All findings, sorted by file, line, column, rule.
std::vector<Finding> lint(const LintInputs& inputs);

struct LintRule {
  std::string id;
  /// Rule `texts` is a warning in files that exist in the base.
  Severity severity = Severity::warning;
  std::string description;
};
/// All rules, sorted by id, for SARIF and the documentation.
const std::vector<LintRule>& lint_rules();

}  // namespace fairway::graphdata
