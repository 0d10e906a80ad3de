// SPDX-License-Identifier: Apache-2.0

#include "graph/changes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/graph/changes_report.h"
#include "cli/graph/graph_commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/graph/print_picture.h"
#include "command_line/terminal.h"
#include "graph/paths.h"
#include "graph/widening.h"

namespace fairway::cli {

namespace {

struct GraphChangesOptions {
  GraphInputs inputs;
  std::string before, now, output;
  std::vector<std::string> channels, fail_on;
};

std::set<std::string> channel_names(const graph::Snapshot& snapshot) {
  std::set<std::string> names;
  for (const auto& channel : snapshot.channels) names.insert(channel.name);
  return names;
}

std::vector<std::string> missing_from(const std::set<std::string>& names,
                                      const std::set<std::string>& others) {
  std::vector<std::string> missing;
  std::ranges::set_difference(names, others, std::back_inserter(missing));
  return missing;
}

/// Returns the problems of the inputs that `now` has and `before` did not have.
std::vector<graph::Problem> new_problems(const graph::Snapshot& before, const graph::Snapshot& now) {
  std::set<std::string> known;
  for (const auto& problem : before.problems) known.insert(json::to_text(problem.to_json()));
  std::vector<graph::Problem> fresh;
  for (const auto& problem : now.problems) {
    if (!known.contains(json::to_text(problem.to_json()))) fresh.push_back(problem);
  }
  return fresh;
}

/// Adds releases that are stranded now and were not before, if the channel has changed.
void add_stranded(ChangesReport& report, const ChannelChanges& changes, const graph::UpdateGraph& before,
                  const graph::UpdateGraph& now) {
  const graph::Stranded was = graph::find_stranded(before), is = graph::find_stranded(now);
  std::vector<std::string> fresh;
  for (const std::string& version : is.stranded) {
    const bool known = std::ranges::find(was.stranded, version) != was.stranded.end();
    if (!known) fresh.push_back(version);
  }
  if (!fresh.empty())
    report.stranded.push_back({changes.channel, changes.arch, is.highest, std::move(fresh)});
  // Clusters at a release that has left the channel get no updates.
  std::vector<std::string> left;
  for (const std::string& version : changes.changes.nodes_removed) {
    if (std::ranges::find(was.stranded, version) == was.stranded.end()) left.push_back(version);
  }
  if (!left.empty()) report.stranded.push_back({changes.channel, changes.arch, "", std::move(left)});
}

ChangesReport compare(const graph::Snapshot& before, const graph::Snapshot& now,
                      const GraphChangesOptions& options) {
  ChangesReport report;
  const auto old_names = channel_names(before), new_names = channel_names(now);
  std::set<std::string> wanted(options.channels.begin(), options.channels.end());
  const bool all = wanted.empty();
  if (all) {
    report.channels_added = missing_from(new_names, old_names);
    report.channels_removed = missing_from(old_names, new_names);
    std::ranges::set_union(old_names, new_names, std::inserter(wanted, wanted.end()));
  }
  std::set<std::string> architectures;
  for (const auto* snapshot : {&before, &now}) {
    for (const auto& architecture : snapshot->architectures) architectures.insert(architecture.name);
  }
  for (const std::string& arch : architectures) {
    if (!options.inputs.arch.empty() && arch != options.inputs.arch) continue;
    for (const std::string& channel : wanted) {
      const auto old_graph = before.channel_graph(channel, arch),
                 new_graph = now.channel_graph(channel, arch);
      auto changes = graph::find_changes(old_graph, new_graph);
      if (changes.empty()) continue;
      report.changes.push_back({channel, arch, std::move(changes)});
      add_stranded(report, report.changes.back(), old_graph, new_graph);
    }
  }
  report.problems = new_problems(before, now);
  // Without limits nothing ends it early.
  report.widened = graph::find_widening(before, now).value().lifted;
  return report;
}

std::string as_json(const ChangesReport& report) {
  const auto strings = [](const std::vector<std::string>& texts) {
    return json::Array(texts.begin(), texts.end());
  };
  json::Array changes;
  for (const auto& [channel, arch, what] : report.changes) {
    json::Object object{{"channel", channel}, {"arch", arch}};
    for (auto& member : what.to_json()) object[member.key()] = member.value();
    changes.push_back(std::move(object));
  }
  json::Array problems;
  for (const auto& problem : report.problems) problems.push_back(problem.to_json());
  json::Array widened;
  for (const auto& block : report.widened) {
    widened.push_back(json::Object{
        {"to", block.to}, {"risk", block.risk}, {"updates", block.edges}, {"firstFrom", block.first_from}});
  }
  json::Array stranded;
  for (const auto& one : report.stranded) {
    stranded.push_back(json::Object{{"channel", one.channel},
                                    {"arch", one.arch},
                                    {"highest", one.highest},
                                    {"versions", strings(one.versions)}});
  }
  return json::to_text(json::Object{{"channels", json::Object{{"added", strings(report.channels_added)},
                                                              {"removed", strings(report.channels_removed)}}},
                                    {"changes", std::move(changes)},
                                    {"widened", std::move(widened)},
                                    {"stranded", std::move(stranded)},
                                    {"problems", std::move(problems)}});
}

/// Returns "4.6.8, 4.6.23 and 12 more".
std::string some(const std::vector<std::string>& versions) {
  constexpr std::size_t shown = 6;
  if (versions.size() <= shown + 1) return join(versions, ", ");
  return join({versions.begin(), versions.begin() + shown}, ", ") + " and " +
         std::to_string(versions.size() - shown) + " more";
}

/// Returns one line for all updates into one release with the same change.
std::string edge_lines(const std::vector<graph::EdgeChange>& edges, const std::string& mark,
                       std::string (*fate)(const graph::EdgeChange&)) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> sources;
  for (const auto& edge : edges) {
    const std::pair key{edge.to, fate(edge)};
    auto& from = sources[key];
    if (from.empty()) order.push_back(key);
    from.push_back(edge.from);
  }
  std::string out;
  for (const auto& key : order) {
    out += "  " + mark + " to " + key.first + " from " + some(sources[key]) + ": " + key.second + "\n";
  }
  return out;
}

std::string names(const std::vector<std::string>& risks) {
  return printable(join(risks, ", "), 1000);
}

std::string fate_of_added(const graph::EdgeChange& edge) {
  return edge.risks.empty() ? "new, recommended" : "new, conditional on " + names(edge.risks);
}
std::string fate_of_removed(const graph::EdgeChange& edge) {
  return edge.risks_before.empty() ? "gone, was recommended"
                                   : "gone, was conditional on " + names(edge.risks_before);
}
std::string fate_at_risk(const graph::EdgeChange& edge) {
  if (edge.risks == edge.risks_before)
    return "conditional as before, with other rules or texts of " + names(edge.risks_changed);
  return (edge.risks_before.empty() ? "was recommended, now conditional on "
                                    : "was conditional on " + names(edge.risks_before) + ", now on ") +
         names(edge.risks);
}
std::string fate_lifted(const graph::EdgeChange& edge) {
  return "was conditional on " + names(edge.risks_before) +
         (edge.risks.empty() ? ", now recommended" : ", now on " + names(edge.risks));
}

std::string changes_text(const graph::Changes& changes, const Style& style) {
  std::string out;
  if (!changes.nodes_added.empty())
    out += "  " + style.green("+") + " releases: " + some(changes.nodes_added) + "\n";
  if (!changes.nodes_removed.empty())
    out += "  " + style.red("-") + " releases: " + some(changes.nodes_removed) + "\n";
  if (!changes.nodes_changed.empty()) {
    out +=
        "  " + style.yellow("~") + " releases, in payload or metadata: " + some(changes.nodes_changed) + "\n";
  }
  out += edge_lines(changes.edges_removed, style.red("-"), fate_of_removed);
  out += edge_lines(changes.put_at_risk, style.yellow("!"), fate_at_risk);
  out += edge_lines(changes.risk_lifted, style.green("*"), fate_lifted);
  out += edge_lines(changes.edges_added, style.green("+"), fate_of_added);
  return out;
}

/// Returns the changes as text. Channels with the same changes share a paragraph: a blocked edge shows in all
/// channels of its release.
std::string as_text(const ChangesReport& report) {
  const Style style;
  std::string out;
  if (!report.channels_added.empty()) out += "New channels: " + join(report.channels_added, ", ") + "\n";
  if (!report.channels_removed.empty()) out += "Channels gone: " + join(report.channels_removed, ", ") + "\n";
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> channels;
  for (const auto& [channel, arch, what] : report.changes) {
    const std::string text = changes_text(what, style);
    auto& same = channels[text];
    if (same.empty()) order.push_back(text);
    same.push_back(style.bold(channel) + " (" + arch + ")");
  }
  for (const std::string& text : order)
    out += (out.empty() ? "" : "\n") + join(channels[text], ", ") + "\n" + text;
  if (out.empty()) out = "No change for any cluster.\n";
  constexpr std::size_t shown = 20;
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (!lines.empty()) out += "\n" + style.red(title) + "\n";
    for (std::size_t i = 0; i < std::min(shown, lines.size()); ++i) out += paragraph(lines[i], 2);
    if (lines.size() > shown) out += "  and " + std::to_string(lines.size() - shown) + " more\n";
  };
  std::vector<std::string> widened;
  for (const graph::LiftedBlock& block : report.widened) widened.push_back(describe(block));
  list("Widened, of all channels", widened);
  list("Stranded", describe(report.stranded));
  if (!report.problems.empty()) {
    out += "\n" + style.red("New problems") + "\n";
    for (const auto& problem : report.problems) {
      const std::string place = problem.place.to_string();
      out += "  " + problem.kind + (place.empty() ? "" : "  " + printable(place)) + "\n" +
             paragraph(problem.message, 4);
    }
  }
  return out;
}

/// Returns the labels of an update in a picture: its change, and the risks that it has gained or lost.
std::vector<std::string> labels_of(std::string what, const graph::EdgeChange& edge) {
  std::vector<std::string> labels{std::move(what)};
  const auto add = [&](const char* word, const std::vector<std::string>& risks,
                       const std::vector<std::string>& others) {
    for (const std::string& risk : risks) {
      if (std::ranges::find(others, risk) == others.end()) labels.push_back(word + risk);
    }
  };
  add("with ", edge.risks, edge.risks_before);
  add("without ", edge.risks_before, edge.risks);
  add("changed: ", edge.risks_changed, {});
  return labels;
}

/// Draws the changes of one channel: solid if an update is recommended now, dashed if it has risks or is
/// removed.
int picture(const GraphChangesOptions& options, const ChangesReport& found) {
  std::vector<graph::DrawnUpdate> updates;
  std::set<std::tuple<std::string, std::string, std::vector<std::string>>> seen;
  for (const auto& [channel, arch, what] : found.changes) {
    const auto add = [&](const std::vector<graph::EdgeChange>& edges,
                         std::string (*word)(const graph::EdgeChange&), bool gone = false) {
      for (const auto& edge : edges) {
        auto labels = labels_of(word(edge), edge);
        // Once, however many architectures it is for.
        if (!seen.insert({edge.from, edge.to, labels}).second) continue;
        updates.push_back({.from = edge.from,
                           .to = edge.to,
                           .dashed = gone || !edge.risks.empty(),
                           .labels = std::move(labels)});
      }
    };
    using Edge = graph::EdgeChange;
    add(what.edges_removed, [](const Edge&) { return std::string("gone"); }, true);
    add(what.put_at_risk, [](const Edge& edge) {
      return std::string(same_risks(edge)            ? "other rules or texts"
                         : edge.risks_before.empty() ? "conditional"
                                                     : "more risks");
    });
    add(what.risk_lifted,
        [](const Edge& edge) { return std::string(edge.risks.empty() ? "recommended" : "fewer risks"); });
    add(what.edges_added, [](const Edge&) { return std::string("new"); });
  }
  const std::string arch = found.changes.empty() ? options.inputs.arch : found.changes.front().arch;
  return print_picture(options.output, updates, {},
                       options.channels.front() + (arch.empty() ? "" : " (" + arch + ")") + ": changes");
}

/// Reports on standard error the findings that --fail-on names. Returns whether there are any.
bool failing(const ChangesReport& report, const std::vector<std::string>& fail_on) {
  constexpr std::size_t shown = 10;
  bool fails = false;
  const auto say = [&](const std::string& name, const std::vector<std::string>& found) {
    if (std::ranges::find(fail_on, name) == fail_on.end() || found.empty()) return;
    fails = true;
    for (std::size_t i = 0; i < std::min(shown, found.size()); ++i)
      std::ignore = command_line::report({ErrorCode::invalid, name + ": " + found[i]});
    if (found.size() > shown) warn("and " + std::to_string(found.size() - shown) + " more");
  };
  std::vector<std::string> widened;
  for (const graph::LiftedBlock& block : report.widened) widened.push_back(describe(block));
  say("widened", widened);
  say("stranded", describe(report.stranded));
  return fails;
}

int run(const GraphChangesOptions& options) {
  if (is_picture(options.output) && options.channels.size() != 1) {
    return report({ErrorCode::invalid, "a picture shows one channel: name it with --channel"}, exit_usage);
  }
  const auto snapshots = load_snapshots(options.inputs, {options.before, options.now});
  if (!snapshots) return report(snapshots.error());
  const graph::Snapshot &before = *(*snapshots)[0], &now = *(*snapshots)[1];
  for (const std::string& channel : options.channels) {
    if (before.find_channel(channel)) continue;
    if (const auto known = require_channel(now, channel); !known) return report(known.error());
  }
  if (!options.inputs.arch.empty()) {
    if (const auto known = require_architecture(now, options.inputs.arch); !known)
      return report(known.error());
  }
  const ChangesReport found = compare(before, now, options);
  if (is_picture(options.output)) {
    const int code = picture(options, found);
    return code == exit_ok && failing(found, options.fail_on) ? exit_failed : code;
  }
  if (options.output == "json") {
    print(as_json(found));
  } else if (options.output == "markdown") {
    print(to_changes_markdown(found));
  } else if (options.output == "github") {
    print(to_changes_github(found, options.fail_on));
  } else {
    print(as_text(found));
  }
  return failing(found, options.fail_on) ? exit_failed : exit_ok;
}

}  // namespace

void add_graph_changes(CLI::App& graph, Context& context) {
  auto options = std::make_shared<GraphChangesOptions>();
  options->inputs.arch.clear();
  CLI::App* command =
      add_command(graph, context, "changes", "Say what new graph data changes for every cluster",
                  "fairway graph changes git+file://$PWD#main . --releases examples/releases.json",
                  [options] { return run(*options); });
  command->add_option("OLD", options->before, "Graph data as it was: a folder, git+file://DIR#REV, ...")
      ->required();
  command->add_option("NEW", options->now, "Graph data as it will be")->required();
  command->add_option("--channel", options->channels, "Only these channels (repeatable); all without it")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--arch", options->inputs.arch, "Only this architecture; all without it")
      ->type_name("ARCH");
  command
      ->add_option(
          "--fail-on", options->fail_on,
          "Exit 1 where the change does this: widened (what was held against an update of any channel is "
          "lifted), stranded (a release no longer reaches its channel's highest one over recommended "
          "updates)")
      ->type_name("widened|stranded")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"widened", "stranded"}).description(""));
  add_output_option(*command, options->output,
                    {"table", "json", "markdown", "github", "dot", "mermaid", "svg"});
  add_release_inputs(*command, options->inputs);
}

}  // namespace fairway::cli
