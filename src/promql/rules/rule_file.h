// SPDX-License-Identifier: Apache-2.0

// Reads files of recording and alerting rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "promql/parser/dialect.h"

namespace fairway::promql {

/// A rule, of which the query is not yet checked.
struct Rule {
  /// The name of the alert, or of the metric that is recorded.
  std::string name = {};
  bool is_alert = false;
  std::string query = {};
  /// The position of the query; of a block of lines (`|`), that of its mark.
  yaml::Mark mark = {};
};

/// A fault of the file other than those of queries.
struct RuleProblem {
  yaml::Mark mark = {};
  std::string message = {};
};

struct RuleFile {
  std::vector<Rule> rules = {};
  std::vector<RuleProblem> problems = {};
};

/// Reads a file of rules (`groups`), or objects of kind PrometheusRule, whose `spec` is one; each document of
/// the YAML is read. Names, durations and labels are checked, templates in annotations are not. Rules:
/// github.com/prometheus/prometheus/model/rulefmt. Errors are `problems`; the rules beside them are read.
RuleFile read_rule_file(std::string_view text, Dialect dialect = Dialect::prometheus3);

}  // namespace fairway::promql
