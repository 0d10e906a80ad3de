// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/plan_commands.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "adm/internal/plan/plan_texts.h"
#include "adm/names.h"
#include "adm/plan/judged_risk.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;

/// Longest name in a command line, in bytes: that of an object of Kubernetes.
constexpr std::size_t max_typed = 253;

constexpr std::string_view again = "Make the plan again first: ";

/// Ways past the risks of a hop that apply.
struct Ways {
  /// Names to accept, those that `accept` does not take, and the number of those that have no room here.
  std::vector<std::string> accepted = {}, others = {};
  std::size_t more = 0;
  bool needs_flag = false;
};

Ways ways_of(const PlannedHop& hop, const ClusterVersion& cluster) {
  if (hop.applying.empty() && !hop.is_objected_to) return {};
  if (!accepts_risks(cluster)) return {.needs_flag = hop.unknown.empty()};
  Ways ways{.more = hop.applying.more};
  for (const std::string& name : hop.applying.names) {
    // `accept Name-` takes a name back.
    const bool can_be_accepted =
        name.size() <= max_typed && !name.ends_with('-') && !safe_names({name}).empty();
    (can_be_accepted ? ways.accepted : ways.others).push_back(name);
  }
  return ways;
}

/// Returns whether the channel and the version can stand in a command line.
bool is_safe(const PlannedHop& hop) {
  return std::max(hop.channel.size(), hop.to.size()) <= max_typed &&
         safe_names({hop.channel, hop.to}).size() == 2;
}

}  // namespace

std::vector<std::string> commands_of(const PlannedHop& hop, const ClusterVersion& cluster,
                                     const Caller& caller) {
  if (!hop.is_offered || !is_safe(hop)) return {};
  std::vector<std::string> commands;
  if (hop.changes_channel) {
    commands.push_back(caller.upgrade_line("channel " + hop.channel +
                                           (hop.channel_is_listed ? "" : " --allow-explicit-channel")));
  }
  const Ways ways = ways_of(hop, cluster);
  if (!ways.accepted.empty()) commands.push_back(caller.upgrade_line("accept " + join(ways.accepted, ",")));
  commands.push_back(caller.upgrade_line("--to " + hop.to +
                                         (ways.needs_flag ? " --allow-not-recommended" : "") + " --wait"));
  return commands;
}

std::vector<std::string> notes_of(const PlannedHop& hop, bool is_first, const ClusterVersion& cluster,
                                  const Caller& caller) {
  if (!hop.is_offered) {
    return {"The client refuses this update while the operator does not offer it. What it offers: `" +
            caller.upgrade + caller.cluster + "`."};
  }
  if (!is_safe(hop)) return {"The name of the channel or of the release is not safe to type."};
  const Ways ways = ways_of(hop, cluster);
  const std::string first = is_first ? "" : std::string(again) + "it may say more then. ";
  constexpr const char* all_the_same = "To take it all the same, add --allow-not-recommended.";
  std::vector<std::string> notes;
  if (!hop.unknown.empty()) {
    notes.push_back("The client refuses this update while nobody can judge " + text_of(hop.unknown) + ". " +
                    first + all_the_same);
  }
  if (!ways.others.empty() && hop.unknown.empty()) {
    notes.push_back("The client refuses this update: " + text_of(RiskNames{.names = ways.others}) +
                    " cannot be accepted by name. " + first + all_the_same);
  } else if (hop.is_objected_to && !ways.needs_flag && hop.unknown.empty()) {
    notes.push_back(
        "The client refuses this update for what the operator says against it, which these commands do not "
        "accept. " +
        first + all_the_same);
  }
  if (ways.more > 0 && hop.unknown.empty()) {
    notes.push_back("The client refuses this update until " + counted(ways.more, "more risk") +
                    " without room here are accepted. Make the plan again to see them.");
  }
  if (notes.empty() && (ways.needs_flag || !ways.accepted.empty())) {
    if (!is_first) {
      notes.push_back(std::string(again) + "the risks are judged as of now.");
    } else if (hop.changes_channel) {
      notes.push_back("Make the plan again when the channel is changed: the operator may say more then.");
    }
  }
  return notes;
}

}  // namespace fairway::adm
