// SPDX-License-Identifier: Apache-2.0

#include "adm/plan/show_plan.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <utility>

#include "adm/internal/plan/estimate.h"
#include "adm/internal/plan/plan_data.h"
#include "adm/internal/plan/waits.h"
#include "adm/internal/status/durations.h"
#include "adm/internal/texts.h"
#include "adm/names.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;

/// Longest texts of the service that are shown.
constexpr std::size_t max_name = 200, max_text = 2'000;

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(printable(name, max_name));
  return join(shown, ", ");
}

/// Returns a text of the service or the cluster, whose further lines are indented as the first one.
std::string paragraph(std::string_view text, std::size_t indent) {
  std::string out;
  for (const char c : text.substr(0, max_text)) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out + (text.size() > max_text ? "..." : "");
}

std::string about(std::chrono::seconds time) {
  return short_duration(round_to(time, std::chrono::minutes(1)));
}

std::string estimate_text(const ClusterVersion& cluster, bool changes_minor) {
  const auto estimate = estimate_update(cluster, changes_minor);
  if (!estimate) return "not known: the history has no earlier update";
  const bool to_other = estimate->is_of_same_kind == changes_minor;
  const std::string kind = to_other ? " to another minor version" : " within a minor version";
  std::string text =
      "about " + about(estimate->usual) + ", as " + counted(estimate->updates, "earlier update") + kind;
  if (estimate->updates > 1) text += " (" + about(estimate->least) + " to " + about(estimate->most) + ")";
  return text;
}

/// Returns the names of the risks of a hop that nobody can judge.
std::vector<std::string> unknown_of(const PlannedHop& hop) {
  std::set<std::string> names;
  for (const PlannedRisk& one : hop.risks)
    if (one.judged.state == RiskState::unknown) names.insert(one.risk.name);
  return {names.begin(), names.end()};
}

/// A hop in one word for its line.
std::string verdict_text(const PlannedHop& hop, bool is_first) {
  if (hop.risks.empty()) return "recommended to all clusters";
  const std::vector<std::string> open = hop.open_risks();
  const std::string when = is_first ? "" : " as of now";
  if (open.empty()) return "recommended" + when + ": none of its risks applies";
  return "not recommended" + when + ": " + names_text(open);
}

std::string risk_text(const PlannedRisk& one, bool is_first) {
  const std::string name = printable(one.risk.name, max_name);
  const JudgedRisk& judged = one.judged;
  switch (judged.state) {
    case RiskState::applies:
      return name + (one.is_of_operator ? ": the operator does not recommend the update"
                     : judged.is_fixed  ? " applies to every cluster"
                                        : " applies");
    case RiskState::does_not_apply:
      return name + " does not apply";
    case RiskState::accepted:
      return name + " is accepted";
    case RiskState::unknown:
      break;
  }
  return name + (is_first ? " cannot be judged" : " cannot be judged yet") +
         (judged.reason.empty() ? "" : ": " + printable(judged.reason, max_text));
}

void show_risks(const PlannedHop& hop, bool is_first, std::string& out) {
  if (hop.risks.empty()) return;
  out += is_first ? "     Risks, as they are now:\n"
                  : "     Risks, judged as of now and again when the cluster is at " + hop.from + ":\n";
  for (const PlannedRisk& one : hop.risks) {
    out += "     - " + risk_text(one, is_first) + "\n";
    if (!one.judged.counts() || (one.risk.message.empty() && one.risk.url.empty())) continue;
    out += "         " + paragraph(one.risk.message, 9) +
           (one.risk.url.empty() ? "" : " " + printable(one.risk.url, max_text)) + "\n";
  }
}

/// Shows what a hop waits for. What a path before has shown already is named alone.
void show_waits(const std::vector<HopWait>& waits, WallTime now, std::set<std::string>& shown,
                std::string& out) {
  bool holds_up = false, may = false;
  for (const HopWait& one : waits) {
    const Blocker& what = one.what;
    if (what.holds_up && !std::exchange(holds_up, true)) out += "     Waits for:\n";
    if (!what.holds_up && !std::exchange(may, true)) out += "     May be held up by:\n";
    out += "     - " + paragraph(what.what, 7);
    if (!shown.insert(one.kind + what.what).second) {
      out += " (as above)\n";
      continue;
    }
    if (what.since)
      out += " since " + format_time(*what.since) + " (" + short_duration(elapsed(*what.since, now)) + ")";
    out += "\n";
    if (!what.message.empty()) out += "         " + paragraph(what.message, 9) + "\n";
    out += "       What helps: " + what.help + "\n";
    for (const std::string& command : what.commands) out += "         " + command + "\n";
  }
}

/// Returns the time of all hops together; empty if it is not known of one.
std::string whole_time(const PlannedPath& path, const ClusterVersion& cluster) {
  std::chrono::seconds all{};
  for (const PlannedHop& hop : path.hops) {
    const auto estimate = estimate_update(cluster, hop.changes_minor);
    if (!estimate) return {};
    all += estimate->usual;
  }
  return about(all);
}

/// Returns the heading of a path: what sets it apart.
std::string heading(const Plan& plan, std::size_t at, const ClusterVersion& cluster) {
  const PlannedPath& path = plan.paths[at];
  const std::size_t risks = path.open_risks.size();
  std::string text = at == 0 ? "Path 1" : "Path " + std::to_string(at + 1);
  text +=
      ": " + counted(path.hops.size(), "update") + ", " + (risks == 0 ? "no risk" : counted(risks, "risk"));
  if (at > 0 && path.hops.size() < plan.paths.front().hops.size()) text += ", fewer updates";
  if (const std::string time = whole_time(path, cluster); !time.empty()) text += ", about " + time;
  if (path.leaves_stream) text += ", over channels of another stream";
  return text;
}

void show_commands(const PlannedHop& hop, const ClusterVersion& cluster, const Caller& caller,
                   std::string& out) {
  const std::vector<std::string> commands = commands_of(hop, cluster, caller);
  if (commands.empty()) {
    out += "     Commands: none, since the name of the channel or of the release is not safe to type\n";
    return;
  }
  out += "     Commands:\n";
  for (const std::string& command : commands) out += "       " + command + "\n";
  if (const auto unknown = unknown_of(hop); !unknown.empty()) {
    out += "     The client refuses this update while nobody can judge " + names_text(unknown) +
           ". To take it all the same, add --allow-not-recommended.\n";
  }
}

void show_path(const Plan& plan, std::size_t at, const ClusterVersion& cluster, const ClusterFacts& facts,
               const PlanOrigin& origin, const Caller& caller, std::set<std::string>& shown,
               CommandResult& answer) {
  const PlannedPath& path = plan.paths[at];
  const auto waits = waits_of(path, cluster, facts, caller);
  answer.out += "\n" + heading(plan, at, cluster) + "\n";
  for (std::size_t i = 0; i < path.hops.size(); ++i) {
    const PlannedHop& hop = path.hops[i];
    const bool is_first = i == 0;
    answer.out += "\n  " + std::to_string(i + 1) + ". " + hop.from + " -> " + hop.to + " in " +
                  printable(hop.channel, max_name) + ": " + verdict_text(hop, is_first) + "\n";
    show_risks(hop, is_first, answer.out);
    show_waits(waits[i], origin.now, shown, answer.out);
    answer.out += "     Time: " + estimate_text(cluster, hop.changes_minor) + "\n";
    show_commands(hop, cluster, caller, answer.out);
  }
}

}  // namespace

std::vector<std::string> commands_of(const PlannedHop& hop, const ClusterVersion& cluster,
                                     const Caller& caller) {
  if (safe_names({hop.channel, hop.to}).size() != 2) return {};
  std::vector<std::string> commands;
  if (hop.changes_channel)
    commands.push_back(caller.upgrade + " channel " + hop.channel +
                       (hop.channel_is_listed ? "" : " --allow-explicit-channel"));
  std::set<std::string> applying;
  bool has_names = true, is_judged = true;
  for (const PlannedRisk& one : hop.risks) {
    if (one.judged.state == RiskState::unknown) is_judged = false;
    if (one.judged.state != RiskState::applies) continue;
    applying.insert(one.risk.name);
    // `accept Name-` takes a name back.
    has_names = has_names && !one.is_of_operator && !one.risk.name.ends_with('-');
  }
  const bool is_safe = safe_names({applying.begin(), applying.end()}).size() == applying.size();
  const bool by_name = !applying.empty() && is_safe && has_names && accepts_risks(cluster) &&
                       !cluster.items("spec.desiredUpdate.acceptRisks").empty();
  if (by_name)
    commands.push_back(caller.upgrade + " accept " +
                       join(std::vector<std::string>(applying.begin(), applying.end()), ","));
  const bool needs_flag = !applying.empty() && !by_name && is_judged;
  commands.push_back(caller.upgrade + " --to " + hop.to + (needs_flag ? " --allow-not-recommended" : "") +
                     " --wait");
  return commands;
}

CommandResult show(const Plan& plan, const ClusterVersion& cluster, const ClusterFacts& facts,
                   const PlanOrigin& origin, const Caller& caller) {
  CommandResult answer;
  answer.data = plan_data(plan, cluster, facts, origin, caller);
  if (!plan.reason.empty()) {
    answer.fail("no path from " + plan.from + " to " + plan.to + ": " + plan.reason);
    return answer;
  }
  if (plan.paths.empty()) {
    answer.out = "The cluster is at " + plan.to + ", or is being updated to it: there is nothing to plan.\n";
    return answer;
  }
  answer.out = "From " + plan.from + " to " + plan.to + ", by " + origin.graphs + " (" + origin.arch + ").\n";
  answer.out += "Risks are judged by " + origin.judge;
  // A recorded cluster may have no time.
  if (origin.now > WallTime{}) answer.out += ", at " + format_time(origin.now);
  answer.out += ".\n";
  if (!plan.paths.front().open_risks.empty() && plan.is_complete)
    answer.out += "No path is without a risk: " + names_text(plan.paths.front().open_risks) + "\n";
  if (std::ranges::all_of(plan.paths, &PlannedPath::leaves_stream))
    answer.out += "No path stays in the stream of channel " + printable(cluster.channel(), max_name) + ".\n";
  if (!plan.is_complete)
    answer.err +=
        "warning: the plan is not complete: there are more combinations of risks than could be compared, so "
        "that a path with fewer risks may exist. Fewer channels (--channels) leave fewer combinations\n";
  std::set<std::string> shown;
  for (std::size_t i = 0; i < plan.paths.size(); ++i)
    show_path(plan, i, cluster, facts, origin, caller, shown, answer);
  if (plan.paths.front().hops.size() > 1)
    answer.out +=
        "\nMake the plan again after each update: the cluster and the service may know more then.\n";
  return answer;
}

}  // namespace fairway::adm
