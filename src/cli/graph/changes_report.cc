#include "cli/graph/changes_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/semver.h"
#include "base/text.h"
#include "cli/github_command.h"
#include "command_line/terminal.h"

namespace fairway::cli {
namespace {

using command_line::count;

/// GitHub takes 65,536 characters.
constexpr std::size_t max_comment = 60'000;
constexpr std::size_t max_versions = 6;

/// As code, so that nothing of it is markup: names come from whoever wrote the change.
std::string code(std::string_view text) {
  std::string out = "`";
  for (const char c : printable(text, 200)) {
    if (c == '`') {
      out += '\'';
    } else if (c == '|') {
      out += "\\|";
    } else {
      out += c;
    }
  }
  return out + "`";
}

std::string codes(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(code(text));
  return join(all, ", ");
}

/// "`4.6.8`, `4.6.23` and 12 more".
std::string some(const std::vector<std::string>& versions) {
  if (versions.size() <= max_versions + 1) return codes(versions);
  return codes({versions.begin(), versions.begin() + max_versions}) + " and " +
         std::to_string(versions.size() - max_versions) + " more";
}

/// What clusters at one version gain and lose: cells of a row.
struct Cells {
  std::vector<std::string> gains, loses;
  friend auto operator<=>(const Cells&, const Cells&) = default;
};

std::string on(const std::vector<std::string>& risks) {
  return risks.empty() ? "" : " (" + codes(risks) + ")";
}

std::string cell(const std::vector<std::string>& entries) {
  constexpr std::size_t shown = 8;
  if (entries.size() <= shown) return join(entries, "<br>");
  return join({entries.begin(), entries.begin() + shown}, "<br>") + "<br>and " +
         std::to_string(entries.size() - shown) + " more";
}

bool is_lower(const std::string& a, const std::string& b) {
  const auto x = Version::parse(a), y = Version::parse(b);
  return x && y ? *x < *y : a < b;
}

std::string table_of(const graph::Changes& changes) {
  std::map<std::string, Cells, decltype(&is_lower)> clusters(&is_lower);
  for (const auto& edge : changes.edges_added)
    clusters[edge.from].gains.push_back(code(edge.to) +
                                        (edge.risks.empty() ? "" : ", conditional" + on(edge.risks)));
  for (const auto& edge : changes.risk_lifted) {
    clusters[edge.from].gains.push_back(code(edge.to) +
                                        (edge.risks.empty() ? ", recommended now: was" + on(edge.risks_before)
                                                            : ", fewer risks: now" + on(edge.risks)));
  }
  for (const auto& edge : changes.edges_removed) clusters[edge.from].loses.push_back(code(edge.to));
  for (const auto& edge : changes.put_at_risk)
    clusters[edge.from].loses.push_back(code(edge.to) + ", conditional now" + on(edge.risks));
  if (clusters.empty()) return "";
  std::vector<Cells> order;
  std::map<Cells, std::vector<std::string>> versions;
  for (const auto& [version, cells] : clusters) {
    auto& same = versions[cells];
    if (same.empty()) order.push_back(cells);
    same.push_back(version);
  }
  std::string out = "| clusters at | gain | lose |\n|---|---|---|\n";
  for (const Cells& cells : order)
    out += "| " + some(versions[cells]) + " | " + cell(cells.gains) + " | " + cell(cells.loses) + " |\n";
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
  const auto add = [&](std::size_t number, const std::string& what) {
    if (number > 0) parts.push_back(count(number, "update") + " " + what);
  };
  add(changes.edges_added.size(), "new");
  add(changes.edges_removed.size(), "gone");
  add(changes.put_at_risk.size(), "put at risk");
  add(changes.risk_lifted.size(), "with fewer risks");
  return parts.empty() ? "releases only" : join(parts, ", ");
}

}  // namespace

std::string describe(const graph::LiftedBlock& block) {
  const std::string what = block.risk.empty() ? "updates into " + block.to + " are served again"
                                              : "the risk " + block.risk + " of updates into " + block.to +
                                                    " is lifted, or has other rules";
  return printable(what, 400) + " (" + count(block.edges, "update") + ", the first from " + block.first_from +
         ")";
}

std::string describe(const NewlyStranded& stranded) {
  std::vector<std::string> shown = stranded.versions;
  std::string more;
  if (shown.size() > max_versions) {
    more = " and " + std::to_string(shown.size() - max_versions) + " more";
    shown.resize(max_versions);
  }
  return stranded.channel + " (" + stranded.arch + "): no path of recommended updates leads to " +
         stranded.highest + " any more from " + join(shown, ", ") + more;
}

std::string to_changes_markdown(const ChangesReport& report) {
  std::string out = "### What this changes for clusters\n\n";
  if (!report.channels_added.empty()) out += "New channels: " + codes(report.channels_added) + "\n\n";
  if (!report.channels_removed.empty()) out += "Channels gone: " + codes(report.channels_removed) + "\n\n";
  if (!report.widened.empty()) {
    out += "**Opened**: what was held against updates is lifted.\n\n";
    for (const auto& block : report.widened) out += "- " + code(describe(block)) + "\n";
    out += "\n";
  }
  if (!report.stranded.empty()) {
    out += "**Stranded**\n\n";
    for (const auto& one : report.stranded) out += "- " + code(describe(one)) + "\n";
    out += "\n";
  }
  if (!report.problems.empty()) {
    out += "**New problems**\n\n";
    for (const auto& problem : report.problems) {
      const std::string place = problem.place.to_string();
      out += "- " + code(problem.kind + ": " + (place.empty() ? "" : place + ": ") + problem.message) + "\n";
    }
    out += "\n";
  }
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> channels;
  for (const auto& [channel, arch, what] : report.changes) {
    const std::string text = section_of(what);
    auto& same = channels[text];
    if (same.empty()) order.push_back(text);
    same.push_back(code(channel) + " (" + arch + ")");
  }
  std::size_t left = order.size();
  for (const std::string& text : order) {
    const std::string section = "#### " + join(channels[text], ", ") + "\n\n" + text + "\n";
    if (out.size() + section.size() > max_comment) break;
    out += section;
    --left;
  }
  if (order.empty() && report.channels_added.empty() && report.channels_removed.empty())
    out += "No cluster is offered anything else.\n";
  if (left > 0)
    out += "There is more, in " + count(left, "group") +
           " of channels; `fairway graph changes` shows all of it.\n";
  // One section alone may be too long, as may be the lists above.
  if (out.size() > max_comment) {
    out.resize(out.rfind('\n', max_comment) + 1);
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
  for (const auto& one : report.stranded)
    out += github_command({.level = level("stranded"), .title = "stranded", .text = describe(one)});
  for (const auto& [channel, arch, what] : report.changes) {
    out += github_command(
        {.level = GithubLevel::notice, .title = channel + " (" + arch + ")", .text = counts(what)});
  }
  return out;
}

}  // namespace fairway::cli
