// SPDX-License-Identifier: Apache-2.0

#include "graphdata/lint/lint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "cases.h"
#include "documented_rows.h"
#include "shared_data.h"
#include "support/small_graph.h"

namespace fairway::graphdata {
namespace {

Files clean_repository() {
  return {
      {"version", "1.2.0\n"},
      {"channels/candidate-4.7.yaml", "name: candidate-4.7\nversions: [4.6.23, 4.7.0, 4.7.4]\n"},
      {"channels/stable-4.7.yaml",
       "name: stable-4.7\nfeeder:\n  name: candidate-4.7\n  filter: 4[.].*\nversions:\n- 4.6.23\n- 4.7.0\n- "
       "4.7.4\n"},
      {"blocked-edges/4.7.4-SlowDisks.yaml",
       "to: 4.7.4\nfrom: 4[.]6[.].*\nurl: https://example.com/slow-disks\nname: SlowDisks\n"
       "message: Clusters on slow disks lose their leader.\nmatchingRules:\n- type: Always\n"},
  };
}

graph::Release read_release(const std::string& line) {
  std::istringstream words(line);
  std::string version;
  graph::Release release;
  words >> version >> release.arch;
  release.version = Version::parse(version).value();
  release.payload = "registry.example/release:" + version;
  for (std::string previous; words >> previous;) release.previous.push_back(previous);
  return release;
}

LintInputs to_inputs(const Case& c) {
  LintInputs inputs{.files = clean_repository()};
  std::istringstream lines(c.input);
  std::string* text = nullptr;
  std::string releases;
  for (std::string line; std::getline(lines, line);) {
    if (line == "@ releases") {
      text = &releases;
    } else if (line.starts_with("@ link ")) {
      inputs.links.push_back(line.substr(7));
    } else if (line.starts_with("@ base ")) {
      if (!inputs.base) inputs.base.emplace();
      text = &(*inputs.base)[line.substr(7)];
    } else if (line.starts_with("@ ")) {
      text = &(inputs.files[line.substr(2)] = "");
    } else {
      *text += line + "\n";
    }
  }
  std::istringstream release_lines(releases);
  for (std::string line; std::getline(release_lines, line);) inputs.releases.push_back(read_release(line));
  return inputs;
}

std::string severity(const Finding& finding) {
  return finding.severity == Severity::error ? "error" : "warning";
}

TEST(Lint, FindsWhatTheTableSays) {
  const std::vector<Case> cases = read_cases("lint.cases");
  ASSERT_GT(cases.size(), 30U);
  std::set<std::string> seen;
  for (const Case& c : cases) {
    std::vector<std::string> found;
    for (const Finding& finding : lint(to_inputs(c))) {
      const graph::Place& place = finding.place;
      found.push_back(severity(finding) + " " + finding.rule + " " + place.file + ":" +
                      std::to_string(place.line) + ":" + std::to_string(place.column) + " '" + finding.text +
                      "'");
      EXPECT_FALSE(finding.message.empty() || finding.fix.empty()) << found.back();
      seen.insert(finding.rule);
    }
    if (found.empty()) found.emplace_back("clean");
    std::vector<std::string> expected = c.expected;
    std::ranges::sort(found);
    std::ranges::sort(expected);
    EXPECT_EQ(found, expected) << "line " << c.line << ": " << c.name;
  }
  for (const LintRule& rule : lint_rules()) {
    EXPECT_TRUE(rule.id == "refused" || rule.id == "file-unfit" || seen.contains(rule.id))
        << "no case for the rule " << rule.id;
  }
}

TEST(Lint, SaysThatDataIsRefusedEvenWhereNoCheckKnowsWhy) {
  Files files = clean_repository();
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("channels/"); });
  const std::vector<Finding> findings = lint({.files = files});
  EXPECT_TRUE(
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.rule == "refused"; }));
}

TEST(Lint, DoesNotParseAQueryThatIsTooLongToBeRun) {
  LintInputs inputs{.files = clean_repository()};
  std::string& file = inputs.files["blocked-edges/4.7.4-SlowDisks.yaml"];
  // One character fewer, and what is said is that it is no query.
  for (const std::size_t size : {std::size_t{16} << 10, (std::size_t{16} << 10) + 1}) {
    file = file.substr(0, file.find("- type")) + "- type: PromQL\n  promql: {promql: \"" +
           std::string(size, '(') + "\"}\n";
    const std::vector<Finding> findings = lint(inputs);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.front().rule, size > (std::size_t{16} << 10) ? "promql-cost" : "promql-syntax");
    EXPECT_EQ(findings.front().place.line, 8);
  }
}

TEST(Lint, NamesAMetricThatASingleFileAsksFor) {
  LintInputs inputs{.files = clean_repository()};
  const auto add = [&](int number, const std::string& metric) {
    inputs.files["blocked-edges/4.7.4-Risk" + std::to_string(number) + ".yaml"] =
        "to: 4.7.4\nfrom: 4[.]6[.].*\nurl: https://example.com/r\nname: Risk" + std::to_string(number) +
        "\nmessage: m.\nmatchingRules:\n- type: PromQL\n  promql: {promql: \"max(" + metric + ")\"}\n";
  };
  for (int i = 10; i < 28; ++i) add(i, "disks");
  add(28, "diks");
  EXPECT_TRUE(lint(inputs).empty()) << "of a few files nobody can tell";
  add(29, "disks");
  const std::vector<Finding> findings = lint(inputs);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().rule, "promql-metric");
  EXPECT_EQ(findings.front().severity, Severity::warning);
  EXPECT_EQ(findings.front().message, "no other file asks for the metric diks");
  EXPECT_EQ(findings.front().place.to_string(), "blocked-edges/4.7.4-Risk28.yaml:8:25");
}

TEST(Lint, GivesTheSameFindingsInTheOrderOfPlaces) {
  Files files = clean_repository();
  files["blocked-edges/a.yaml"] = "to: 4.7.4\nfrom: 4.6.*\n";
  files["channels/z.yaml"] = "name: Z\nversions: [4.6.23, 4.6.23]\n";
  const std::vector<Finding> first = lint({.files = files});
  const std::vector<Finding> second = lint({.files = files});
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].place, second[i].place);
    EXPECT_EQ(first[i].message, second[i].message);
    EXPECT_TRUE(i == 0 || first[i - 1].place.file <= first[i].place.file);
  }
}

TEST(LintRules, AreSortedAndDescribed) {
  const std::vector<LintRule>& rules = lint_rules();
  EXPECT_TRUE(std::ranges::is_sorted(rules, {}, &LintRule::id));
  for (const LintRule& rule : rules)
    EXPECT_TRUE(rule.description.ends_with('.') || rule.description.ends_with(')') ||
                rule.description.ends_with("[.]"))
        << rule.id;
}

TEST(LintWants, InternalChannelsAndStrayYaml) {
  for (const char* path : {"version", "channels/a.yml", "internal-channels/fast.yaml",
                           "blocked-edges/old/a.yaml", "channels/.a.yaml"})
    EXPECT_TRUE(is_linted(path)) << path;
  for (const char* path : {"README.md", "build-suggestions/4.7.yaml", "internal-channels/README.md"})
    EXPECT_FALSE(is_linted(path)) << path;
}

/// Returns the number of findings by rule that docs/lint.md states for this data.
std::map<std::string, int> documented_findings() {
  std::map<std::string, int> counts;
  for (const std::string& row : documented_rows("Findings in OpenShift's graph data")) {
    const std::size_t end = row.find('`', 3);
    counts[row.substr(3, end - 3)] = std::stoi(row.substr(end + 3));
  }
  return counts;
}

TEST(LintRealData, FindsNoErrorIn202602) {
  const std::filesystem::path path = shared_path("data/graph-data/2026-02");
  FAIRWAY_NEEDS_SHARED(path);
  const Result<Files> files = read_directory(path.string(), is_linted);
  ASSERT_TRUE(files) << files.error().message;
  std::map<std::string, int> counts;
  for (const Finding& finding : lint({.files = *files})) {
    EXPECT_EQ(finding.severity, Severity::warning) << finding.place.to_string() << ": " << finding.message;
    ++counts[finding.rule];
  }
  EXPECT_EQ(counts, documented_findings());
}

TEST(LintRules, AreTheOnesThatTheDocumentationLists) {
  std::vector<std::string> rows;
  for (const LintRule& rule : lint_rules()) {
    rows.push_back("| `" + rule.id + "` | " + (rule.severity == Severity::error ? "error" : "warning") +
                   " | " + rule.description + " |");
  }
  EXPECT_EQ(documented_rows("Rules"), rows);
}

TEST(Lint, SaysOfAFileThatIsNotUnderstoodThatItRemovesNothingYet) {
  LintInputs inputs{.files = clean_repository()};
  const auto said = [&](const std::string& text) {
    inputs.files["blocked-edges/4.7.0.yaml"] = text;
    const std::vector<Finding> findings = lint(inputs);
    const auto found = std::ranges::find(findings, "texts", &Finding::rule);
    return found == findings.end() ? std::string() : found->message;
  };
  EXPECT_EQ(said("to: 4.7.0\nfrom: 4[.]6[.].*\n"),
            "url, name, message are missing: the update is removed, and nobody is told why");
  EXPECT_EQ(
      said("to: v4.7.0\nfrom: 4[.]6[.].*\n"),
      "url, name, message are missing: once the file is understood, the update is removed, and nobody is "
      "told why; until then it is conditional on GraphDataNotUnderstood");
}

TEST(Lint, NamesFilesThatAreUnfit) {
  for (const auto& [path, text] :
       Files{{"blocked-edges/4.7.4-large.yaml", "to: 4.7.4\n#" + std::string(1 << 20, 'x')},
             {"blocked-edges/4.7.4-\xff.yaml", "to: 4.7.4\nfrom: .*\n"}}) {
    Files files = testing::small_graph_data();
    files[path] = text;
    const std::vector<Finding> findings = lint({.files = files});
    const auto found = std::ranges::find(findings, "file-unfit", &Finding::rule);
    ASSERT_NE(found, findings.end()) << path;
    EXPECT_EQ(found->severity, Severity::error);
    EXPECT_TRUE(is_utf8(found->place.file));
  }
}

}  // namespace
}  // namespace fairway::graphdata
