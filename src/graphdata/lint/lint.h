// SPDX-License-Identifier: Apache-2.0

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
  std::string rule = {};  ///< stable, kebab-case: "from-regex", "url-https", ...
  graph::Place place = {};
  std::string text = {};     ///< the offending text, one line
  std::string message = {};  ///< description of the fault and its effect
  std::string fix = {};      ///< correction: the text to write instead
};

struct LintInputs {
  Files files = {};
  std::optional<Files> base = {};  ///< the files before the change; absent: every file counts as old
  std::vector<graph::Release> releases = {};  ///< empty: rules that need releases are not run
  /// Paths (relative to the repository's root) at which Git holds a link or a submodule.
  std::vector<std::string> links = {};
};

/// Returns whether lint reads a path (relative to the repository's root): those that `counts` accepts, the
/// internal channels (which feed channels), and files that look like graph data but are not loaded.
bool is_linted(std::string_view path);

/// Returns whether sources that are Git repositories refuse all of the data where the path is a link or a
/// submodule.
bool is_refused_as_link(std::string_view path);

/// Reads the files of a folder that lint reads, as read_directory does. Those of `links` (see LintInputs)
/// that lead out of it, or nowhere, are left out: there is a finding on each.
Result<Files> read_linted(const std::string& directory, const std::vector<std::string>& links);

/// Returns all findings, sorted by file, line, column, rule.
std::vector<Finding> lint(const LintInputs& inputs);

struct LintRule {
  std::string id = {};
  /// Severity of its findings. Those of rule `texts` are warnings in files that exist in the base.
  Severity severity = Severity::warning;
  std::string description = {};
};
/// Returns all rules, sorted by id, for SARIF and the documentation.
const std::vector<LintRule>& lint_rules();

}  // namespace fairway::graphdata
