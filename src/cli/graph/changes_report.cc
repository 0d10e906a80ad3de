// SPDX-License-Identifier: Apache-2.0

#include "cli/graph/changes_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/semver.h"
#include "base/text.h"
#include "cli/github_command.h"
#include "cli/markdown.h"
#include "command_line/terminal.h"

namespace fairway::cli {
namespace {

using command_line::count;

constexpr std::size_t max_versions = 6;

std::string codes(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(markdown_code(text));
  return join(all, ", ");
}

/// Returns "`4.6.8`, `4.6.23` and 12 more".
std::string some(const std::vector<std::string>& versions) {
  if (versions.size() <= max_versions + 1) return codes(versions);
  return codes({versions.begin(), versions.begin() + max_versions}) + " and " +
         std::to_string(versions.size() - max_versions) + " more";
}

bool is_lower(const std::string& a, const std::string& b) {
  const auto x = Version::parse(a), y = Version::parse(b);
  return x && y ? *x < *y : a < b;
}

/// A change of an update for a cluster: the target version, and the kind of change.
struct Entry {
  std::string to, text;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

std::vector<std::string> without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> left;
  for (const std::string& name : names) {
    if (std::ranges::find(others, name) == others.end()) left.push_back(name);
  }
  return left;
}

std::vector<std::string> new_risks(const graph::EdgeChange& edge) {
  return without(edge.risks, edge.risks_before);
}
std::vector<std::string> lost_risks(const graph::EdgeChange& edge) {
  return without(edge.risks_before, edge.risks);
}

/// The updates that clusters at one version gain and lose, and those whose texts change: cells of a row.
struct Cells {
  std::vector<Entry> gains, loses, others;
  friend auto operator<=>(const Cells&, const Cells&) = default;
};

std::string cell(const std::vector<Entry>& entries) {
  constexpr std::size_t shown = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, entries.size()); ++i)
    out += (i == 0 ? "" : "<br>") + markdown_code(entries[i].to) + entries[i].text;
  if (entries.size() > shown) out += "<br>and " + std::to_string(entries.size() - shown) + " more";
  return out;
}

using CellsByVersion = std::map<std::string, Cells, decltype(&is_lower)>;

CellsByVersion cells_of(const graph::Changes& changes) {
  CellsByVersion clusters(&is_lower);
  const auto conditional = [](const std::vector<std::string>& risks) {
    return risks.empty() ? std::string() : ", conditional on " + codes(risks);
  };
  for (const auto& edge : changes.edges_added)
    clusters[edge.from].gains.push_back({edge.to, conditional(edge.risks)});
  for (const auto& edge : changes.risk_lifted) {
    std::string text = edge.risks.empty() ? ", recommended to all: no more " + codes(edge.risks_before)
                                          : ", fewer risks: no more " + codes(lost_risks(edge));
    clusters[edge.from].gains.push_back({edge.to, std::move(text)});
  }
  for (const auto& edge : changes.edges_removed) {
    clusters[edge.from].loses.push_back(
        {edge.to, edge.risks.empty() ? "" : ", was conditional on " + codes(edge.risks)});
  }
  for (const auto& edge : changes.put_at_risk) {
    const auto lost = lost_risks(edge);
    const std::string less = lost.empty() ? "" : "; no more " + codes(lost);
    if (edge.risks_before.empty()) {
      clusters[edge.from].loses.push_back({edge.to, conditional(edge.risks)});
    } else if (same_risks(edge)) {
      clusters[edge.from].others.push_back({edge.to, ": " + codes(edge.risks_changed) + less});
    } else {
      clusters[edge.from].loses.push_back({edge.to, ", more risks: " + codes(new_risks(edge)) + less});
    }
  }
  const auto is_before = [](const Entry& a, const Entry& b) { return is_lower(a.to, b.to); };
  for (auto& [version, cells] : clusters) {
    for (auto* entries : {&cells.gains, &cells.loses, &cells.others}) std::ranges::sort(*entries, is_before);
  }
  return clusters;
}

std::string table_of(const graph::Changes& changes) {
  const CellsByVersion clusters = cells_of(changes);
  if (clusters.empty()) return "";
  std::vector<Cells> order;
  std::map<Cells, std::vector<std::string>> versions;
  for (const auto& [version, cells] : clusters) {
    auto& same = versions[cells];
    if (same.empty()) order.push_back(cells);
    same.push_back(version);
  }
  const bool has_others =
      std::ranges::any_of(order, [](const Cells& cells) { return !cells.others.empty(); });
  std::string out =
      has_others ? "| clusters at | gain | lose | same risks, other rules or texts |\n|---|---|---|---|\n"
                 : "| clusters at | gain | lose |\n|---|---|---|\n";
  for (const Cells& cells : order) {
    out += "| " + some(versions[cells]) + " | " + cell(cells.gains) + " | " + cell(cells.loses) + " |" +
           (has_others ? " " + cell(cells.others) + " |" : "") + "\n";
  }
  return out;
}

std::string section_of(const graph::Changes& changes) {
  std::string out;
  if (!changes.nodes_added.empty()) out += "Releases that come: " + some(changes.nodes_added) + "\n\n";
  if (!changes.nodes_removed.empty()) out += "Releases that go: " + some(changes.nodes_removed) + "\n\n";
  if (!changes.nodes_changed.empty())
    out += "Releases with another image or other metadata: " + some(changes.nodes_changed) + "\n\n";
  return out + table_of(changes);
}

std::string counts(const graph::Changes& changes) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t number, const std::string& noun, const std::string& what) {
    if (number == 0) return;
    parts.push_back(std::to_string(number) + " " + noun + (number == 1 ? "" : "s") + what);
  };
  const auto others = static_cast<std::size_t>(std::ranges::count_if(changes.put_at_risk, same_risks));
  add(changes.nodes_added.size(), "new release", "");
  add(changes.nodes_removed.size(), "release", " gone");
  add(changes.nodes_changed.size(), "release", " with another image or other metadata");
  add(changes.edges_added.size(), "new update", "");
  add(changes.edges_removed.size(), "update", " gone");
  add(changes.put_at_risk.size() - others, "update", " put at risk");
  add(changes.risk_lifted.size(), "update", " with fewer risks");
  add(others, "update", " with the same risks, but other rules or texts");
  return join(parts, ", ");
}

/// A channel and an architecture.
struct Where {
  std::string channel, arch;
};

/// Returns "candidate-4.7, fast-4.7 (amd64, arm64)": channels that have something in common, by their
/// architectures.
std::string text_of(const std::vector<Where>& all, bool markdown = false) {
  std::vector<std::string> channels;
  std::map<std::string, std::vector<std::string>> architectures;
  for (const Where& one : all) {
    auto& known = architectures[one.channel];
    if (known.empty()) channels.push_back(one.channel);
    known.push_back(one.arch);
  }
  std::vector<std::vector<std::string>> order;
  std::map<std::vector<std::string>, std::vector<std::string>> same;
  for (const std::string& channel : channels) {
    auto& those = same[architectures[channel]];
    if (those.empty()) order.push_back(architectures[channel]);
    those.push_back(channel);
  }
  std::vector<std::string> groups;
  for (const auto& some_architectures : order) {
    groups.push_back(markdown ? codes(same[some_architectures]) + " on " + codes(some_architectures)
                              : join(same[some_architectures], ", ") + " (" + join(some_architectures, ", ") +
                                    ")");
  }
  return join(groups, "; ");
}

/// Channels with the same stranded releases.
struct StrandedGroup {
  const NewlyStranded* like = nullptr;
  std::vector<Where> where;
};

std::vector<StrandedGroup> grouped(const std::vector<NewlyStranded>& stranded) {
  std::vector<StrandedGroup> groups;
  for (const NewlyStranded& one : stranded) {
    auto group = std::ranges::find_if(groups, [&](const StrandedGroup& known) {
      return known.like->highest == one.highest && known.like->versions == one.versions;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {.like = &one, .where = {}});
    group->where.push_back({one.channel, one.arch});
  }
  return groups;
}

std::string markdown_of(const graph::LiftedBlock& block) {
  return (block.risk.empty() ? "Updates into " + markdown_code(block.to) + " are served again"
                             : "The risk " + markdown_code(block.risk) + " of updates into " +
                                   markdown_code(block.to) + " is lifted, or has other rules") +
         " (" + count(block.edges, "update") + ", the first from " + markdown_code(block.first_from) + ")";
}

std::string markdown_of(const StrandedGroup& group) {
  const auto& [channel, arch, highest, versions] = *group.like;
  return text_of(group.where, true) + ": " +
         (highest.empty() ? "these have left, and their clusters are offered nothing: "
                          : "no path of recommended updates leads to " + markdown_code(highest) + " from ") +
         some(versions);
}

std::string markdown_of(const graph::Problem& problem) {
  const std::string place = problem.place.to_string();
  return markdown_code(problem.kind) + (place.empty() ? "" : " at " + markdown_code(place)) + ": " +
         markdown_code(problem.message);
}

}  // namespace

bool same_risks(const graph::EdgeChange& edge) {
  return !edge.risks.empty() && new_risks(edge).empty();
}

std::string describe(const graph::LiftedBlock& block) {
  const std::string what = block.risk.empty() ? "updates into " + block.to + " are served again"
                                              : "the risk " + block.risk + " of updates into " + block.to +
                                                    " is lifted, or has other rules";
  return printable(what, 400) + " (" + count(block.edges, "update") + ", the first from " + block.first_from +
         ")";
}

std::vector<std::string> describe(const std::vector<NewlyStranded>& stranded) {
  std::vector<std::string> all;
  for (const StrandedGroup& group : grouped(stranded)) {
    std::vector<std::string> shown = group.like->versions;
    std::string more;
    if (shown.size() > max_versions + 1) {
      more = " and " + std::to_string(shown.size() - max_versions) + " more";
      shown.resize(max_versions);
    }
    const std::string& highest = group.like->highest;
    all.push_back(text_of(group.where) + ": " +
                  (highest.empty() ? "these have left, and their clusters are offered nothing: "
                                   : "no path of recommended updates leads to " + highest + " from ") +
                  join(shown, ", ") + more);
  }
  return all;
}

std::string to_changes_markdown(const ChangesReport& report) {
  std::string out = "### What this changes for clusters\n\n";
  if (!report.channels_added.empty()) out += "New channels: " + codes(report.channels_added) + "\n\n";
  if (!report.channels_removed.empty()) out += "Channels gone: " + codes(report.channels_removed) + "\n\n";
  if (!report.widened.empty()) {
    out += "**Opened**: what was held against updates is lifted.\n\n";
    for (const auto& block : report.widened) out += "- " + markdown_of(block) + "\n";
    out += '\n';
  }
  if (!report.stranded.empty()) {
    out += "**Stranded**\n\n";
    for (const auto& group : grouped(report.stranded)) out += "- " + markdown_of(group) + "\n";
    out += '\n';
  }
  if (!report.problems.empty()) {
    out += "**New problems**\n\n";
    for (const auto& problem : report.problems) out += "- " + markdown_of(problem) + "\n";
    out += '\n';
  }
  std::vector<std::string> order;
  std::map<std::string, std::vector<Where>> channels;
  for (const ChannelChanges& one : report.changes) {
    const std::string text = section_of(one.changes);
    auto& same = channels[text];
    if (same.empty()) order.push_back(text);
    same.push_back({one.channel, one.arch});
  }
  std::size_t left = order.size();
  for (const std::string& text : order) {
    const std::string section = "#### " + text_of(channels[text], true) + "\n\n" + text + "\n";
    if (out.size() + section.size() > max_markdown_comment) break;
    out += section;
    --left;
  }
  if (order.empty() && report.channels_added.empty() && report.channels_removed.empty())
    out += "No cluster is offered anything else.\n";
  if (left > 0)
    out += "There is more, in " + count(left, "group") +
           " of channels; `fairway graph changes` shows all of it.\n";
  // One section alone may be too long, as may be the lists above.
  if (out.size() > max_markdown_comment) {
    out.resize(out.rfind('\n', max_markdown_comment) + 1);
    out += "\nThere is more; `fairway graph changes` shows all of it.\n";
  }
  return out;
}

std::string to_changes_github(const ChangesReport& report, const std::vector<std::string>& failing) {
  const auto level = [&](const char* what) {
    return std::ranges::find(failing, what) != failing.end() ? GithubLevel::error : GithubLevel::warning;
  };
  std::string out;
  for (const auto& problem : report.problems) {
    out += github_command({.level = GithubLevel::warning,
                           .file = problem.place.file,
                           .line = problem.place.line,
                           .column = problem.place.column,
                           .title = problem.kind,
                           .text = problem.message});
  }
  for (const auto& block : report.widened)
    out += github_command({.level = level("widened"), .title = "widened", .text = describe(block)});
  for (const std::string& text : describe(report.stranded))
    out += github_command({.level = level("stranded"), .title = "stranded", .text = text});
  // GitHub shows ten annotations of a kind.
  std::vector<std::string> order;
  std::map<std::string, std::vector<Where>> channels;
  for (const auto& [channel, arch, what] : report.changes) {
    const std::string text = counts(what);
    auto& same = channels[text];
    if (same.empty()) order.push_back(text);
    same.push_back({channel, arch});
  }
  for (const std::string& text : order)
    out += github_command({.level = GithubLevel::notice, .title = text_of(channels[text]), .text = text});
  return out;
}

}  // namespace fairway::cli
