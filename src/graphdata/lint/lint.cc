// SPDX-License-Identifier: Apache-2.0

#include "graphdata/lint/lint.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "graphdata/internal/files.h"
#include "graphdata/internal/limits.h"
#include "graphdata/internal/lint/context.h"

namespace fairway::graphdata {

namespace {

Severity severity_of(std::string_view rule) {
  static const std::map<std::string_view, Severity> severities = [] {
    std::map<std::string_view, Severity> all;
    for (const LintRule& known : lint_rules()) all.emplace(known.id, known.severity);
    return all;
  }();
  return severities.at(rule);
}

/// Returns the effect of a file's faults on clusters.
std::string effect_of_faults(const BlockedEdgeFile& file) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> targets;
  for (const Target& target : file.targets) targets.push_back(target.to.to_string());
  if (targets.empty() || file.too_many_targets) return "; all of the data is refused for it";
  const std::size_t more = targets.size() > shown + 1 ? targets.size() - shown : 0;
  if (more > 0) targets.resize(shown);
  return "; until that is fixed, every update into " + join(targets, ", ") +
         (more > 0 ? " and " + std::to_string(more) + " more" : "") + " is conditional on " +
         graph::graph_data_not_understood;
}

bool same_core(const Version& a, const Version& b) {
  return a.major() == b.major() && a.minor() == b.minor() && a.patch() == b.patch() &&
         a.prerelease() == b.prerelease();
}

}  // namespace

LintContext::LintContext(const LintInputs& inputs) : inputs(inputs) {
  const auto report = [&](const std::vector<Fault>& faults, const std::string& effect) {
    for (const Fault& fault : faults)
      add(fault.rule, fault.place, fault.text, fault.message + effect, fault.fix);
  };
  for (const auto& [path, text] : inputs.files) {
    if (!is_yaml(path) || (text.size() > max_yaml_bytes && !is_blocked_edge(path)))
      continue;  // load() says what is too large
    if (is_blocked_edge(path)) {
      blocked_edges.push_back(read_blocked_edge(path, text, budget));
      report(blocked_edges.back().faults, effect_of_faults(blocked_edges.back()));
    } else if (is_channel(path)) {
      channels.push_back(read_channel(path, text, budget));
      report(channels.back().faults, "; all of the data is refused for it");
      report(channels.back().notes, "");
    } else if (path.starts_with("internal-channels/") && path.ends_with(".yaml")) {
      internal_channels.push_back(read_channel(path, text, budget));
    }
  }
}

void LintContext::add(std::string_view rule, graph::Place place, std::string_view text, std::string message,
                      std::string fix) {
  const Severity severity = severity_of(rule);
  add(rule, std::move(place), text, std::move(message), std::move(fix), severity);
}

void LintContext::add(std::string_view rule, graph::Place place, std::string_view text, std::string message,
                      std::string fix, Severity severity) {
  findings.push_back({.severity = severity,
                      .rule = std::string(rule),
                      .place = std::move(place),
                      .text = printable(text),
                      .message = std::move(message),
                      .fix = std::move(fix)});
}

bool LintContext::is_new(const std::string& file) const {
  return inputs.base && !inputs.base->contains(file);
}

bool LintContext::is_changed(const std::string& file) const {
  if (!inputs.base) return false;
  const auto now = inputs.files.find(file), before = inputs.base->find(file);
  return now != inputs.files.end() && (before == inputs.base->end() || before->second != now->second);
}

bool overlaps(const Version& written, const Version& version) {
  return same_core(written, version) &&
         (written.build().empty() || version.build().empty() || written.build() == version.build());
}

void WrittenVersions::add(const Version& written) {
  builds_[written.with_build("")].emplace(written.build());
}

bool WrittenVersions::cover(const Version& version) const {
  const auto found = builds_.find(version.with_build(""));
  return found != builds_.end() && (found->second.contains("") || found->second.contains(version.build()));
}

bool WrittenVersions::overlap(const Version& version) const {
  return cover(version) || (version.build().empty() && builds_.contains(version));
}

std::vector<Version> channel_versions(const LintContext& context) {
  std::vector<Version> versions;
  for (const ChannelFile& file : context.channels) {
    for (const graph::ChannelVersion& listed : file.channel.versions)
      versions.push_back(listed.version.with_build(""));
  }
  std::ranges::sort(versions);
  const auto repeated = std::ranges::unique(versions);
  versions.erase(repeated.begin(), repeated.end());
  return versions;
}

bool is_linted(std::string_view path) {
  if (counts(path)) return true;
  const bool in_folder = path.starts_with("channels/") || path.starts_with("blocked-edges/") ||
                         path.starts_with("internal-channels/");
  return in_folder && is_yaml(path);
}

Result<Files> read_linted(const std::string& directory, const std::vector<std::string>& links) {
  std::set<std::string> dispensable;
  std::ranges::copy_if(links, std::inserter(dispensable, dispensable.end()), is_refused_as_link);
  return read_directory(directory, is_linted, {}, Clock::system(), dispensable);
}

std::vector<Finding> lint(const LintInputs& inputs) {
  LintContext context(inputs);
  lint_repository(context);
  lint_texts(context);
  lint_matching_rules(context);
  lint_promql(context);
  lint_from(context);
  lint_targets(context);
  lint_risks(context);
  lint_channels(context);
  lint_feeders(context);
  lint_graph(context);
  std::ranges::sort(context.findings, {}, [](const Finding& finding) {
    return std::tie(finding.place.file, finding.place.line, finding.place.column, finding.rule,
                    finding.message);
  });
  return std::move(context.findings);
}

}  // namespace fairway::graphdata
