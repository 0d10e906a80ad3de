// SPDX-License-Identifier: Apache-2.0

#include "cli/lint_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/github_command.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

using graphdata::Finding;
using graphdata::Severity;

const char* severity_name(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

// The text at a finding's place: its line, and the number of characters that are meant (0: not known).
struct Excerpt {
  std::string_view line;
  std::size_t characters = 0;
};

// Of each file they are asked for together: its lines are found once.
class Excerpts {
 public:
  explicit Excerpts(const graphdata::Files& files) : files_(files) {}
  Excerpt of(const Finding& finding);

 private:
  const graphdata::Files& files_;
  std::string file_;
  std::vector<std::string_view> lines_;
};

Excerpt Excerpts::of(const Finding& finding) {
  if (finding.place.line < 1 || finding.place.column < 1) return {};
  if (file_ != finding.place.file) {
    const auto file = files_.find(finding.place.file);
    file_ = finding.place.file;
    lines_ = file == files_.end() ? std::vector<std::string_view>{} : split(file->second, '\n');
  }
  const auto number = static_cast<std::size_t>(finding.place.line);
  if (number > lines_.size() || !is_utf8(lines_[number - 1])) return {};
  std::string_view line = lines_[number - 1];
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t at = 0;  // columns count characters
  for (int column = 1; column < finding.place.column && at < line.size(); ++column) {
    do ++at;
    while (at < line.size() && !begins_character(line[at]));
  }
  const std::string_view rest = line.substr(at);
  if (rest.empty()) return {line, 0};
  if (finding.text.empty()) return {line, 1};
  if (rest.starts_with(finding.text)) return {line, count_characters(finding.text)};
  const bool quoted =
      (rest.front() == '"' || rest.front() == '\'') && rest.substr(1).starts_with(finding.text);
  return {line, quoted ? count_characters(finding.text) + 2 : 1};
}

std::string position(const graph::Place& place) {
  if (place.line < 1) return "";
  return std::to_string(place.line) + (place.column < 1 ? "" : ":" + std::to_string(place.column));
}

// Control characters would steer the terminal, or move the mark: each becomes a space.
std::string plain(std::string_view line) {
  std::string text(line);
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return text;
}

void append_excerpt(std::string& out, Excerpts& excerpts, const Finding& finding,
                    const command_line::Style& style) {
  constexpr std::size_t widest = 160;  // beyond it a terminal folds the line, and the mark points nowhere
  const Excerpt excerpt = excerpts.of(finding);
  if (excerpt.line.empty()) return;
  const auto before = static_cast<std::size_t>(finding.place.column - 1);
  const std::size_t all = count_characters(excerpt.line);
  if (all > widest || excerpt.characters == 0) return;
  const std::string mark = "^" + std::string(excerpt.characters - 1, '~');
  out += "      " + plain(excerpt.line) + "\n      " + std::string(before, ' ') + style.bold(mark) + "\n";
}

void append_finding(std::string& out, Excerpts& excerpts, const Finding& finding,
                    const command_line::Style& style) {
  const bool is_error = finding.severity == Severity::error;
  const std::string severity = severity_name(finding.severity);
  const std::string where = position(finding.place);
  out += "  " + where + (where.empty() ? "" : " ") +
         (is_error ? style.red(severity) : style.yellow(severity)) + " " +
         style.dim("[" + finding.rule + "]") + "\n";
  append_excerpt(out, excerpts, finding, style);
  out += command_line::paragraph(finding.message, 4) + command_line::paragraph("Fix: " + finding.fix, 4);
}

// RFC 3986: what a path may hold as it is.
std::string escape_uri(std::string_view path) {
  constexpr char digits[] = "0123456789ABCDEF";
  constexpr std::string_view unreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@!$&'()*,;=";
  std::string out;
  for (const char c : path) {
    if (unreserved.contains(c)) {
      out += c;
    } else {
      out += '%';
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 0xF];
    }
  }
  return out;
}

json::Object sarif_location(const LintReport& report, Excerpts& excerpts, const Finding& finding) {
  json::Object physical{{"artifactLocation", {{"uri", escape_uri(report.prefix + finding.place.file)}}}};
  if (finding.place.line > 0) {
    json::Object region{{"startLine", finding.place.line}};
    if (finding.place.column > 0) {
      region["startColumn"] = finding.place.column;
      if (const Excerpt excerpt = excerpts.of(finding); excerpt.characters > 0)
        region["endColumn"] = finding.place.column + static_cast<int>(excerpt.characters);
    }
    physical["region"] = std::move(region);
  }
  return {{"physicalLocation", std::move(physical)}};
}

json::Object sarif_rule(const graphdata::LintRule& rule) {
  return {{"id", rule.id},
          {"shortDescription", {{"text", rule.description}}},
          {"defaultConfiguration", {{"level", severity_name(rule.severity)}}}};
}

// A file has thousands of one kind where one thing is wrong with it: the first say what.
constexpr std::size_t shown_of_a_rule = 100;

Finding others(const Finding& like, std::size_t count) {
  return {.severity = like.severity,
          .rule = like.rule,
          .place = {.file = like.place.file},
          .message = command_line::count(count, "more finding") + " of this rule in this file " +
                     (count == 1 ? "is" : "are") + " not shown",
          .fix = "correct those that are shown, and lint again"};
}

/// Returns the findings that are shown: of each rule and file the first ones, with one that counts the others
/// at the file's end.
std::vector<Finding> shown_findings(const std::vector<Finding>& all) {
  std::vector<Finding> shown;
  for (std::size_t at = 0; at < all.size();) {
    const std::string& file = all[at].place.file;
    std::map<std::string_view, std::pair<const Finding*, std::size_t>> met;
    for (; at < all.size() && all[at].place.file == file; ++at) {
      auto& [last, count] = met[all[at].rule];
      last = &all[at];
      if (++count <= shown_of_a_rule) shown.push_back(all[at]);
    }
    for (const auto& [rule, of_it] : met) {
      if (of_it.second > shown_of_a_rule)
        shown.push_back(others(*of_it.first, of_it.second - shown_of_a_rule));
    }
  }
  return shown;
}

}  // namespace

std::size_t LintReport::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

std::string to_lint_text(const LintReport& report) {
  const command_line::Style style;
  std::string out;
  const std::vector<Finding> findings = shown_findings(report.findings);
  Excerpts excerpts(report.files);
  const std::string* file = nullptr;
  for (const Finding& finding : findings) {
    if (file == nullptr || *file != finding.place.file) {
      if (file != nullptr) out += '\n';
      file = &finding.place.file;
      out += style.bold(file->empty() ? "graph data" : printable(report.prefix + *file, 1000)) + "\n";
    }
    append_finding(out, excerpts, finding, style);
  }
  if (!out.empty()) out += '\n';
  out += command_line::count(report.count(Severity::error), "error") + " and " +
         command_line::count(report.count(Severity::warning), "warning") + " in " +
         command_line::count(report.files.size(), "file") + "\n";
  if (report.results) out += "\n" + to_metrics_text(*report.results, report.prefix, report.snapshots);
  return out;
}

std::string to_lint_json(const LintReport& report) {
  json::Array findings;
  for (const Finding& finding : shown_findings(report.findings)) {
    findings.push_back(json::Object{{"severity", severity_name(finding.severity)},
                                    {"rule", finding.rule},
                                    {"file", printable(report.prefix + finding.place.file, 4096)},
                                    {"line", finding.place.line},
                                    {"column", finding.place.column},
                                    {"text", finding.text},
                                    {"message", finding.message},
                                    {"fix", finding.fix}});
  }
  json::Object document{{"findings", std::move(findings)},
                        {"errors", report.count(Severity::error)},
                        {"warnings", report.count(Severity::warning)}};
  if (report.results) document["queries"] = to_metrics_json(*report.results, report.prefix);
  return json::to_pretty_text(document);
}

std::string to_lint_github(const LintReport& report) {
  std::string out;
  for (const Finding& finding : shown_findings(report.findings)) {
    const std::string text = finding.text.empty() ? "" : "'" + finding.text + "': ";
    const bool has_file = !finding.place.file.empty();
    out += github_command(
        {.level = finding.severity == Severity::error ? GithubLevel::error : GithubLevel::warning,
         .file = has_file ? report.prefix + finding.place.file : "",
         .line = finding.place.line,
         .column = finding.place.column,
         .title = finding.rule,
         .text = text + finding.message + "; fix: " + finding.fix});
  }
  if (report.results) out += to_metrics_github(*report.results, report.prefix, report.snapshots);
  return out;
}

std::string to_lint_sarif(const LintReport& report) {
  const std::vector<graphdata::LintRule>& known = graphdata::lint_rules();
  json::Array rules;
  for (const graphdata::LintRule& rule : known) rules.push_back(sarif_rule(rule));
  json::Array results;
  Excerpts excerpts(report.files);
  for (const Finding& finding : shown_findings(report.findings)) {
    const auto rule = std::ranges::find(known, finding.rule, &graphdata::LintRule::id);
    json::Object result{{"ruleId", finding.rule},
                        {"ruleIndex", rule - known.begin()},
                        {"level", severity_name(finding.severity)},
                        {"message", {{"text", finding.message + "; fix: " + finding.fix}}}};
    if (!finding.place.file.empty())
      result["locations"] = json::Array{sarif_location(report, excerpts, finding)};
    results.push_back(std::move(result));
  }
  const json::Object driver{{"name", "fairway"}, {"version", FAIRWAY_VERSION}, {"rules", std::move(rules)}};
  const json::Object run{
      {"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", std::move(results)}};
  return json::to_pretty_text(json::Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                           {"version", "2.1.0"},
                                           {"runs", json::Array{run}}});
}

}  // namespace fairway::cli
