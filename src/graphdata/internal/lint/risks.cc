// SPDX-License-Identifier: Apache-2.0

// Lint: risks across files: one meaning a name, and whether a risk reaches the patches that still have it.
#include <algorithm>
#include <map>
#include <optional>

#include "graphdata/internal/lint/context.h"

namespace fairway::graphdata {

namespace {

using RiskFiles = std::vector<const BlockedEdgeFile*>;

std::map<std::string, RiskFiles> by_name(const LintContext& context) {
  std::map<std::string, RiskFiles> files;
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    if (file.faults.empty() && file.block.effect == graph::Block::Effect::conditional)
      files[file.block.risk.name].push_back(&file);
  }
  return files;
}

std::string describe_difference(const graph::Risk& a, const graph::Risk& b) {
  if (a.url != b.url) return "url";
  return a.message != b.message ? "message" : "matchingRules";
}

void report_other_meaning(LintContext& context, const BlockedEdgeFile& file, const BlockedEdgeFile& model) {
  const std::string& name = file.block.risk.name;
  const std::string key = describe_difference(file.block.risk, model.block.risk);
  const yaml::Entry* entry = find_entry(*file.mapping(), key);
  if (entry == nullptr) entry = find_entry(*file.mapping(), "name");
  context.add("one-meaning", place_of_value(file.file, *entry), name,
              "the " + key + " of " + name + " is another one than in " + model.file +
                  ": where both meet, every cluster is told that the risk matches",
              "let them agree, or give this risk another name");
}

// Today's tooling (validate-blocked-edges.py) checks the same, of every key but to, from and fixedIn.
void check_one_meaning(LintContext& context, const RiskFiles& files) {
  std::map<std::string, RiskFiles> by_body;
  for (const BlockedEdgeFile* file : files) by_body[file->block.risk.body()].push_back(file);
  if (by_body.size() < 2) return;
  // The text of most files is taken for the meaning of the name. Of equally many files, the base counts, then
  // the first file.
  const auto usual = std::ranges::max_element(by_body, [&](const auto& a, const auto& b) {
    const RiskFiles &left = a.second, &right = b.second;
    if (left.size() != right.size()) return left.size() < right.size();
    const bool left_is_new = context.is_new(left.front()->file);
    const bool right_is_new = context.is_new(right.front()->file);
    return left_is_new != right_is_new ? left_is_new : left.front()->file > right.front()->file;
  });
  const BlockedEdgeFile& model = *usual->second.front();
  for (const auto& [body, others] : by_body) {
    if (body == usual->first) continue;
    for (const BlockedEdgeFile* file : others) {
      report_other_meaning(context, *file, model);
    }
  }
}

std::optional<Version> next_patch(const std::vector<Version>& versions, const Version& version) {
  const auto next = std::ranges::upper_bound(versions, version);
  if (next == versions.end() || next->major() != version.major() || next->minor() != version.minor())
    return std::nullopt;
  return *next;
}

bool is_fixed_in(const BlockedEdgeFile& file, const Version& version) {
  const yaml::Node* fixed_in = file.mapping()->find("fixedIn");
  if (fixed_in == nullptr) return false;
  const Result<Version> fixed = Version::parse(fixed_in->scalar);
  return fixed && compare_precedence(*fixed, version) <= 0;
}

void report_not_extended(LintContext& context, const BlockedEdgeFile& file, const std::string& next) {
  const std::string& name = file.block.risk.name;
  context.add(
      "risk-not-extended", file.block.place, file.block.to.to_string(),
      "the next patch, " + next + ", has no file for " + name + ", and nothing says that it is fixed there",
      "add blocked-edges/" + next + "-" + name + ".yaml, or write 'fixedIn: " + next + "' here");
}

// The rule by which today's tooling promotes a release: each risk of the patch before it is extended or
// fixed.
void check_extended(LintContext& context, const RiskFiles& files, const std::vector<Version>& versions) {
  std::map<Version, RiskFiles> by_target;
  for (const BlockedEdgeFile* file : files) by_target[file->block.to.with_build("")].push_back(file);
  for (const auto& [target, blocks] : by_target) {
    const std::optional<Version> next = next_patch(versions, target);
    if (!next || by_target.contains(*next)) continue;
    if (std::ranges::any_of(blocks, [&](const BlockedEdgeFile* file) { return is_fixed_in(*file, *next); }))
      continue;
    report_not_extended(context, *blocks.front(), next->to_string());
  }
}

}  // namespace

void lint_risks(LintContext& context) {
  const std::vector<Version> versions = channel_versions(context);
  for (const auto& [name, files] : by_name(context)) {
    check_one_meaning(context, files);
    check_extended(context, files, versions);
  }
}

}  // namespace fairway::graphdata
