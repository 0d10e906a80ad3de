// SPDX-License-Identifier: Apache-2.0

#include "adm/plan/show_plan.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "adm/internal/plan/estimate.h"
#include "adm/internal/plan/offered_updates.h"
#include "adm/internal/plan/plan_commands.h"
#include "adm/internal/plan/plan_data.h"
#include "adm/internal/plan/plan_texts.h"
#include "adm/internal/plan/waits.h"
#include "adm/internal/status/durations.h"
#include "adm/internal/texts.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;

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

/// A hop in one word for its line.
std::string verdict_text(const PlannedHop& hop, bool is_first) {
  if (hop.risk_count() == 0) return "recommended to all clusters";
  const std::string when = is_first ? "" : " as of now";
  if (hop.open.empty()) return "recommended" + when + ": none of its risks applies";
  if (!hop.is_offered && hop.open.count() == 1) return "not offered by the operator (yet)";
  return (hop.is_offered ? "" : "not offered by the operator (yet), and ") + ("not recommended" + when) +
         ": " + text_of(hop.open);
}

std::string risk_text(const PlannedRisk& one, bool is_first) {
  const std::string name = printable(one.risk->name, max_name);
  const JudgedRisk& judged = one.judged;
  const std::string reason = judged.reason.empty() ? "" : ": " + printable(judged.reason, max_line);
  if (one.is_of_operator && one.risk->name == not_offered)
    return name + ": not offered by the operator (yet)" + reason;
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
  return name + (is_first ? " cannot be judged" : " cannot be judged yet") + reason;
}

void show_risks(const PlannedHop& hop, bool is_first, std::string& out) {
  if (hop.risk_count() == 0) return;
  out += is_first ? "     Risks, as they are now:\n"
                  : "     Risks, judged as of now and again when the cluster is at " +
                        printable(hop.from, max_name) + ":\n";
  for (const PlannedRisk& one : hop.risks) {
    out += "     - " + risk_text(one, is_first) + "\n";
    if (!one.judged.counts() || (one.risk->message.empty() && one.risk->url.empty())) continue;
    out += "         " + paragraph(one.risk->message, 9) +
           (one.risk->url.empty() ? "" : " " + printable(one.risk->url, max_line)) + "\n";
  }
  if (hop.more_risks > 0) out += "     - and " + std::to_string(hop.more_risks) + " more\n";
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
    out += '\n';
    if (!what.message.empty()) out += "         " + paragraph(what.message, 9) + "\n";
    out += "       What helps: " + what.help + "\n";
    for (const std::string& command : what.commands) out += "         " + command + "\n";
  }
}

/// Returns the time of all hops together; empty if it is not known of one.
std::string whole_time(const PlannedPath& path, const ClusterVersion& cluster) {
  const auto all = estimate_path(path, cluster);
  return all ? about(*all) : std::string();
}

/// Returns the heading of a path: what sets it apart.
std::string heading(const Plan& plan, std::size_t at, const ClusterVersion& cluster) {
  const PlannedPath& path = plan.paths[at];
  const std::size_t risks = path.open.count();
  std::string text = at == 0 ? "Path 1" : "Path " + std::to_string(at + 1);
  text +=
      ": " + counted(path.hops.size(), "update") + ", " + (risks == 0 ? "no risk" : counted(risks, "risk"));
  if (at > 0 && path.hops.size() < plan.paths.front().hops.size()) text += ", fewer updates";
  if (const std::string time = whole_time(path, cluster); !time.empty()) text += ", about " + time;
  if (path.leaves_stream) text += ", over channels of another stream";
  return text;
}

void show_commands(const PlannedHop& hop, bool is_first, const ClusterVersion& cluster, const Caller& caller,
                   std::string& out) {
  const std::vector<std::string> commands = commands_of(hop, cluster, caller);
  out += commands.empty() ? "     Commands: none\n" : "     Commands:\n";
  for (const std::string& command : commands) out += "       " + command + "\n";
  for (const std::string& note : notes_of(hop, is_first, cluster, caller)) out += "     " + note + "\n";
}

/// The parts that each path of a plan is shown with.
struct Parts {
  const Plan& plan;
  const ClusterVersion& cluster;
  const ClusterFacts& facts;
  const PlanOrigin& origin;
  const Caller& caller;
  const std::stop_token& stop;
};

void show_path(const Parts& parts, std::size_t at, std::set<std::string>& shown, std::string& out) {
  const PlannedPath& path = parts.plan.paths[at];
  const auto waits = waits_of(path, parts.cluster, parts.facts, parts.caller);
  out += "\n" + heading(parts.plan, at, parts.cluster) + "\n";
  const std::size_t count = std::min(path.hops.size(), most_hops);
  for (std::size_t i = 0; i < count && !parts.stop.stop_requested(); ++i) {
    const PlannedHop& hop = path.hops[i];
    const bool is_first = i == 0;
    out += "\n  " + std::to_string(i + 1) + ". " + printable(hop.from, max_name) + " -> " +
           printable(hop.to, max_name) + " in " + printable(hop.channel, max_name) + ": " +
           verdict_text(hop, is_first) + "\n";
    show_risks(hop, is_first, out);
    show_waits(waits[i], parts.origin.now, shown, out);
    out += "     Time: " + estimate_text(parts.cluster, hop.changes_minor) + "\n";
    show_commands(hop, is_first, parts.cluster, parts.caller, out);
  }
  if (path.hops.size() > count)
    out += "\n  And " + counted(path.hops.size() - count, "more update") + " up to " +
           printable(path.hops.back().to, max_name) + ".\n";
}

/// Returns the lines above the paths.
std::string introduction(const Plan& plan, const ClusterVersion& cluster, const PlanOrigin& origin) {
  std::string out =
      "From " + plan.from + " to " + plan.to + ", by " + origin.graphs + " (" + origin.arch + ").\n";
  if (!origin.is_arch_known) {
    out += "ClusterVersion names no architecture: the plan is for " + origin.arch +
           ", and may be wrong for nodes of another one.\n";
  }
  if (origin.operator_service) {
    out +=
        "The cluster's operator asks another service, " +
        (origin.operator_service->empty() ? "its default" : printable(*origin.operator_service, max_line)) +
        ", and offers the updates of that one only.\n";
  }
  out += "Risks are judged by " + origin.judge;
  // A recorded cluster may have no time.
  if (origin.now > WallTime{}) out += ", at " + format_time(origin.now);
  out += ".\n";
  if (!plan.paths.front().open.empty() && plan.is_complete)
    out += "No path is without a risk: " + text_of(plan.paths.front().open) + "\n";
  if (std::ranges::all_of(plan.paths, &PlannedPath::leaves_stream))
    out += "No path stays in the stream of channel " + printable(cluster.channel(), max_name) + ".\n";
  return out;
}

}  // namespace

CommandResult show(const Plan& plan, const ClusterVersion& cluster, const ClusterFacts& facts,
                   const PlanOrigin& origin, const Caller& caller, const std::stop_token& stop) {
  CommandResult answer;
  answer.data = plan_data(plan, cluster, facts, origin, caller, stop);
  if (!plan.reason.empty()) {
    answer.fail("no path from " + plan.from + " to " + plan.to + ": " + plan.reason);
    return answer;
  }
  if (plan.paths.empty()) {
    answer.out = "The cluster is at " + plan.to + ", or is being updated to it: there is nothing to plan.\n";
    return answer;
  }
  answer.out = introduction(plan, cluster, origin);
  if (!plan.has_all_updates) {
    answer.err +=
        "warning: the plan is not complete: the channels have more updates, or more risks, than a plan "
        "keeps, so that a path with fewer risks may exist. Name fewer channels (--channels)\n";
  } else if (!plan.is_complete) {
    answer.err +=
        "warning: the plan is not complete: there are more combinations of risks than could be compared, so "
        "that a path with fewer risks may exist. Fewer channels (--channels) leave fewer combinations\n";
  }
  std::set<std::string> shown;
  const Parts parts{plan, cluster, facts, origin, caller, stop};
  for (std::size_t i = 0; i < plan.paths.size(); ++i) show_path(parts, i, shown, answer.out);
  if (stop.stop_requested()) {
    answer.fail("stopped showing the plan to " + plan.to);
    return answer;
  }
  if (plan.paths.front().hops.size() > 1)
    answer.out +=
        "\nMake the plan again after each update: the cluster and the service may know more then.\n";
  return answer;
}

}  // namespace fairway::adm
