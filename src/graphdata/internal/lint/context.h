// SPDX-License-Identifier: Apache-2.0

// The context of lint's checks: the files as read, and the findings.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graphdata/internal/blocked_edge.h"
#include "graphdata/internal/channel.h"
#include "graphdata/lint/lint.h"

namespace fairway::graphdata {

struct LintContext {
  explicit LintContext(const LintInputs& inputs);

  const LintInputs& inputs;
  Budget budget;
  std::vector<BlockedEdgeFile> blocked_edges;  ///< in byte order of their files
  std::vector<ChannelFile> channels;           ///< served channels, in byte order of their files
  std::vector<ChannelFile> internal_channels;
  std::vector<Finding> findings;

  /// Adds a finding with the rule's severity.
  void add(std::string_view rule, graph::Place place, std::string_view text, std::string message,
           std::string fix);
  void add(std::string_view rule, graph::Place place, std::string_view text, std::string message,
           std::string fix, Severity severity);
  /// Returns whether the base lacks this file.
  bool is_new(const std::string& file) const;
  /// Returns whether the base lacks this file, or has another content under its name.
  bool is_changed(const std::string& file) const;
};

/// Returns whether a version that a channel file or target writes as `written` means `version` on some
/// architecture: without build text it means all.
bool overlaps(const Version& written, const Version& version);

/// Versions as written, for finding those that mean the same release without comparing each.
class WrittenVersions {
 public:
  void add(const Version& written);
  /// Returns whether one of them covers everything that `version` means.
  bool cover(const Version& version) const;
  /// Returns whether one of them and `version` mean a release in common.
  bool overlap(const Version& version) const;

 private:
  std::map<Version, std::set<std::string, std::less<>>> builds_;  ///< build texts by the version without its
                                                                  ///< build text
};

/// Returns the versions of all channels, each once, ascending; build texts dropped.
std::vector<Version> channel_versions(const LintContext& context);

/// Returns the entry `promql` of a rule, or of the mapping under that key; or `PromQL`, the specification's
/// other spelling; nullptr without either.
const yaml::Node* find_promql(const yaml::Node& mapping);

/// Returns the scalar that holds the query of a rule of type PromQL; nullptr if there is none.
const yaml::Node* query_of(const yaml::Node& rule);

// The checks, one a subject.
void lint_repository(LintContext& context);
void lint_texts(LintContext& context);
void lint_matching_rules(LintContext& context);
void lint_promql(LintContext& context);
void lint_from(LintContext& context);
void lint_targets(LintContext& context);
void lint_risks(LintContext& context);
void lint_channels(LintContext& context);
void lint_feeders(LintContext& context);
void lint_graph(LintContext& context);

}  // namespace fairway::graphdata
