// SPDX-License-Identifier: Apache-2.0

#include "adm/blockers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "adm/follow/follower.h"
#include "adm/internal/architectures.h"
#include "adm/internal/blocker_rules.h"
#include "adm/internal/invalid_spec.h"
#include "adm/internal/status/durations.h"
#include "adm/internal/texts.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterOperator;
using openshift::ClusterVersion;
using openshift::UpdateHistory;

constexpr std::string_view operator_of_nodes = "machine-config";

/// The update that is asked for or runs, or the release that runs.
struct Update {
  FollowTarget target;
  FollowState state = FollowState::pending;
  std::optional<WallTime> started = {};
};

/// Returns the update that runs, or the release that was completed last.
std::optional<Update> running_of(const ClusterVersion& cluster) {
  const std::vector<UpdateHistory> history = cluster.history();
  if (history.empty()) return std::nullopt;
  const UpdateHistory& newest = history.front();
  return Update{.target = {.version = std::string(newest.version()), .image = std::string(newest.image())},
                .state = newest.is_completed() ? FollowState::completed : FollowState::updating,
                .started = newest.started()};
}

std::optional<Update> update_of(const ClusterVersion& cluster) {
  const k8s::View asked = cluster.desired_update();
  FollowTarget target{.version = std::string(asked.text("version")),
                      .image = std::string(asked.text("image")),
                      .several_architectures = asks_for_several_architectures(asked)};
  const std::vector<UpdateHistory> history = cluster.history();
  if (target.name().empty() && history.empty()) return std::nullopt;
  if (history.empty() || (!target.name().empty() && !target.is(history[0].version(), history[0].image())))
    return Update{.target = std::move(target)};
  if (target.several_architectures && history.front().is_completed() &&
      architectures_of(cluster, history.front().image()) != Architectures::several)
    return Update{.target = std::move(target)};
  return running_of(cluster);
}

bool is_failing(const ClusterVersion& cluster) {
  const auto failing = cluster.condition("Failing");
  return failing && !failing->is_false() && !failing->message().empty();
}

/// Returns whether a text names an operator as a word: "waiting on etcd, kube-apiserver".
bool names(std::string_view text, std::string_view name) {
  const auto ends_word = [](char c) { return c == ' ' || c == ',' || c == ':' || c == '\n'; };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || ends_word(text[at - 1])) && (end == text.size() || ends_word(text[end]))) return true;
  }
  return false;
}

std::string report_of(const k8s::Condition& condition) {
  const std::string reason(condition.reason()), message(condition.message());
  return reason.empty() || message.empty() ? reason + message : reason + ": " + message;
}

/// Returns whether a name is one that an object can have, and so neither a flag nor more than a word.
bool is_object_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

/// Part of being well and up to date that a ClusterOperator lacks.
enum class Lack { available, health, version };

struct OperatorBlocker {
  Blocker blocker;
  Lack lack = Lack::version;
};

/// Returns what a ClusterOperator says; std::nullopt if it is well, and at the version.
std::optional<OperatorBlocker> blocker_of(const ClusterOperator& one, std::string_view version,
                                          const Caller& caller) {
  const std::string name(one.name());
  OperatorBlocker found;
  Blocker& blocker = found.blocker;
  if (is_object_name(name)) blocker.commands.push_back(caller.client + " describe clusteroperator " + name);
  const auto available = one.condition("Available"), degraded = one.condition("Degraded"),
             progressing = one.condition("Progressing");
  const auto is = [&](const char* what, const std::optional<k8s::Condition>& condition) {
    blocker.what = "cluster operator " + name + " " + what;
    if (!condition) return;
    blocker.since = condition->last_transition();
    blocker.message = report_of(*condition);
  };
  if (!available || !available->is_true()) {
    found.lack = Lack::available;
    is("is not available", available);
  } else if (degraded && degraded->is_true()) {
    found.lack = Lack::health;
    is("is degraded", degraded);
  } else if (one.version("operator") == version) {
    return std::nullopt;
  } else if (progressing && progressing->is_true()) {
    is("is being updated", progressing);
  } else {
    is("is not at the version yet", progressing);
    blocker.since.reset();  // it has not progressed since the update before
  }
  const bool is_bad = found.lack != Lack::version;
  blocker.help = is_bad
                     ? "Put right what its message names: the update goes on by itself once the operator is "
                       "available and not degraded."
                     : "This takes time; more than 30 minutes are unusual.";
  if (!is_bad && name == operator_of_nodes)
    blocker.help =
        "Every node is drained and restarted, which takes time; more than 90 minutes are unusual. A "
        "PodDisruptionBudget that allows no disruption holds up a node.";
  if (name == operator_of_nodes) {
    blocker.commands.push_back(caller.client + " get machineconfigpools,nodes");
    blocker.commands.push_back(caller.client + " get poddisruptionbudgets -A");
  }
  return found;
}

Blocker blocker_of(std::string_view reason, std::string_view report, std::optional<WallTime> since,
                   std::string_view image, const Caller& caller) {
  BlockerAdvice advice = advise(reason, report, image, caller);
  return {.what = std::move(advice.what),
          .since = since,
          .message = std::string(report),
          .help = std::move(advice.help),
          .commands = std::move(advice.commands)};
}

/// Returns the single reports of a message, which may be a list of several.
std::vector<std::string_view> reports_in(std::string_view message) {
  constexpr std::string_view several = "Multiple errors are preventing progress:\n";
  if (!message.starts_with(several)) return {message};
  std::vector<std::string_view> reports;
  for (std::string_view line : split(message.substr(several.size()), '\n')) {
    if (line.starts_with("* ")) line.remove_prefix(2);
    if (!line.empty()) reports.push_back(line);
  }
  return reports;
}

/// Returns what an update that has begun waits for.
std::vector<Blocker> blockers_of_running(const ClusterVersion& cluster, const Update& update,
                                         const std::vector<ClusterOperator>& operators,
                                         const Caller& caller) {
  const auto failing = cluster.condition("Failing"), progressing = cluster.condition("Progressing");
  const bool fails = is_failing(cluster);
  std::string_view text = fails ? failing->message() : progressing ? progressing->message() : "";
  if (!fails) {
    const std::size_t at = text.find("waiting ");
    text = at == text.npos ? std::string_view() : text.substr(at);
  }
  std::vector<Blocker> bad, slow, others, besides;
  for (const ClusterOperator& one : operators) {
    auto found = blocker_of(one, update.target.version, caller);
    if (!found) continue;
    auto& [blocker, lack] = *found;
    const bool is_bad = lack != Lack::version, is_named = names(text, one.name());
    // An update that does not wait for it goes on beside it.
    blocker.holds_up = is_named || lack != Lack::health;
    if (!blocker.holds_up) {
      besides.push_back(std::move(blocker));
    } else if (is_bad || is_named) {
      (is_bad ? bad : slow).push_back(std::move(blocker));
    }
  }
  for (const std::string_view report : reports_in(text)) {
    // What operators say themselves says more.
    const bool is_said =
        std::ranges::any_of(operators, [&](const ClusterOperator& one) { return names(report, one.name()); });
    if (report.empty() || (is_said && !(bad.empty() && slow.empty()))) continue;
    others.push_back(
        fails ? blocker_of(failing->reason(), report, failing->last_transition(), update.target.image, caller)
              : blocker_of(progressing->reason(), report, std::nullopt, update.target.image, caller));
  }
  for (auto* list : {&others, &slow, &besides}) std::ranges::move(*list, std::back_inserter(bad));
  return bad;
}

/// Adds what is wrong with the spec, if there is something.
void add_invalid(const ClusterVersion& cluster, const Caller& caller, std::vector<Blocker>& blockers) {
  const InvalidSpec invalid = invalid_spec(cluster);
  if (invalid.of_request.empty() && !invalid.has_others) return;
  const auto condition = cluster.condition("Invalid");
  const bool holds_up = !invalid.of_request.empty();
  Blocker blocker = blocker_of(holds_up ? "InvalidClusterVersion" : "InvalidBeside", condition->message(),
                               condition->last_transition(), "", caller);
  blocker.holds_up = holds_up;
  blockers.insert(holds_up ? blockers.begin() : blockers.end(), std::move(blocker));
}

/// Returns the entries for programs of what holds up the update, or does not.
json::Array list_of(const std::vector<Blocker>& blockers, bool holds_up) {
  json::Array waits_for;
  for (const Blocker& one : blockers) {
    if (one.holds_up != holds_up) continue;
    json::Array commands;
    for (const std::string& command : one.commands) commands.emplace_back(command);
    json::Object blocker{
        {"what", one.what}, {"message", one.message}, {"help", one.help}, {"commands", std::move(commands)}};
    if (one.since) blocker["since"] = format_time(*one.since);
    waits_for.emplace_back(std::move(blocker));
  }
  return waits_for;
}

json::Object data_of(const Update& update, const std::vector<Blocker>& blockers) {
  json::Object data{{"version", update.target.version},
                    {"image", update.target.image},
                    {"state", to_string(update.state)},
                    {"waitsFor", list_of(blockers, true)}};
  if (json::Array besides = list_of(blockers, false); !besides.empty()) data["besides"] = std::move(besides);
  if (update.started) data["started"] = format_time(*update.started);
  return data;
}

std::string since_text(std::optional<WallTime> since, WallTime now) {
  if (!since) return {};
  return " since " + format_time(*since) + " (" + short_duration(elapsed(*since, now)) + ")";
}

}  // namespace

std::vector<Blocker> find_blockers(const ClusterVersion& cluster,
                                   const std::vector<ClusterOperator>& operators, const Caller& caller) {
  const auto update = update_of(cluster);
  if (!update) return {};
  std::vector<Blocker> blockers;
  if (update->state == FollowState::pending) {
    const auto accepted = cluster.condition("ReleaseAccepted");
    if (accepted && !accepted->is_true() && update->target.is_named_in(accepted->message()))
      blockers.push_back(blocker_of(accepted->reason(), accepted->message(), accepted->last_transition(),
                                    update->target.image, caller));
  }
  // Beside a request that has not begun, an earlier update may still run, or what runs may fail.
  const auto running = running_of(cluster);
  if (running && (running->state == FollowState::updating || is_failing(cluster))) {
    for (Blocker& one : blockers_of_running(cluster, *running, operators, caller)) {
      // A release that is completed and fails stops no request.
      if (update->state == FollowState::pending && running->state == FollowState::completed)
        one.holds_up = false;
      blockers.push_back(std::move(one));
    }
  }
  std::ranges::stable_partition(blockers, &Blocker::holds_up);
  add_invalid(cluster, caller, blockers);
  return blockers;
}

bool is_unfinished(const ClusterVersion& cluster, std::string_view version) {
  const auto update = update_of(cluster);
  if (!update || update->target.version != version) return false;
  return update->state != FollowState::completed || is_failing(cluster);
}

void explain_update(const ClusterVersion& cluster, const std::vector<ClusterOperator>& operators,
                    WallTime now, const Caller& caller, CommandResult& answer) {
  const auto update = update_of(cluster);
  const std::vector<Blocker> blockers = find_blockers(cluster, operators, caller);
  if (!update ||
      (update->state == FollowState::completed && std::ranges::none_of(blockers, &Blocker::holds_up))) {
    answer.out += "No update is asked for that the cluster does not have, and none runs.\n";
    return;
  }
  answer.data["update"] = data_of(*update, blockers);
  const std::string name = update->target.title();
  if (update->state == FollowState::pending) {
    answer.out += "The update to " + name + " is asked for, and has not begun.\n";
    if (const auto running = running_of(cluster); running && running->state == FollowState::updating)
      answer.out += "The update to " + running->target.title() + " has run" +
                    since_text(running->started, now) + ", and is not completed.\n";
  } else if (update->state == FollowState::completed) {
    answer.out += name + " is applied, but the cluster has a failure.\n";
  } else {
    answer.out += "The update to " + name + " has run" + since_text(update->started, now) + ".\n";
  }
  if (std::ranges::none_of(blockers, &Blocker::holds_up)) {
    const auto progressing = cluster.condition("Progressing");
    answer.out += "It waits for nothing that the cluster names";
    answer.out += progressing && update->state == FollowState::updating
                      ? ": " + indented(progressing->message()) + "\n"
                      : ". If that lasts, look at the log of the cluster's operator.\n";
  } else {
    answer.out += "It waits for this:\n";
  }
  bool held_up = true;
  for (const Blocker& one : blockers) {
    if (std::exchange(held_up, one.holds_up) && !one.holds_up)
      answer.out += "\nThis is wrong, too, and does not hold it up:\n";
    answer.out += "\n- " + one.what + since_text(one.since, now) + "\n";
    if (!one.message.empty()) answer.out += "    " + indented(indented(one.message)) + "\n";
    answer.out += "  What usually helps: " + one.help + "\n";
    for (const std::string& command : one.commands) answer.out += "    " + command + "\n";
  }
}

}  // namespace fairway::adm
