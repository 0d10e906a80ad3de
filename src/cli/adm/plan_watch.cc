// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/plan_watch.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "adm/follow/server_troubles.h"
#include "adm/plan/progress.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/adm/paint.h"
#include "cli/duration_option.h"
#include "command_line/commands.h"
#include "command_line/terminal.h"
#include "kube/client/api.h"

namespace fairway::cli {

using namespace command_line;

namespace {

using openshift::ClusterVersion;
using std::chrono::seconds;

constexpr seconds usual_time{60};
/// Longest time between two looks at the ClusterVersion.
constexpr seconds look_again{5};

/// Returns the parts of a ClusterVersion that a plan depends on; not what a running update says.
std::string parts_of(const ClusterVersion& version) {
  json::Array parts;
  for (const char* path : {"spec", "status.desired", "status.availableUpdates", "status.conditionalUpdates",
                           "status.conditionalUpdateRisks"})
    if (const json::Value* part = version.find(path)) parts.push_back(*part);
  for (const char* type : {"Progressing", "Failing", "Upgradeable", "Invalid", "RetrievedUpdates"})
    if (const auto condition = version.condition(type)) parts.emplace_back(condition->text("status"));
  return json::to_text(json::Value(std::move(parts)));
}

/// Returns the data of a plan without what changes all the time: its own time, and what a running update
/// says.
std::string lasting_part(json::Object data) {
  data.erase("time");
  const auto each = [](json::Value* list, const auto& act) {
    if (list != nullptr && list->is_array())
      for (json::Value& one : list->get_array()) act(one.as_object());
  };
  each(data.if_contains("paths"), [&](json::Object& path) {
    each(path.if_contains("hops"), [&](json::Object& hop) {
      each(hop.if_contains("waitsFor"), [](json::Object& wait) {
        if (wait["kind"] == "running") wait.erase("message");
      });
    });
  });
  return json::to_text(data);
}

/// The output of a watch: what is new, and nothing twice.
class PlanLines {
 public:
  explicit PlanLines(std::string output) : output_(std::move(output)) {}

  void show(const adm::CommandResult& answer);
  void show_progress(const ClusterVersion& version);
  void warn(const std::string& text) {
    if (std::exchange(warned_, text) != text) command_line::warn(printable(text, 2'000));
  }
  void forget_warning() { warned_.clear(); }

 private:
  bool is_document() const { return output_ == "json" || output_ == "yaml"; }

  const std::string output_;
  std::string plan_, progress_, warned_, errors_;
};

void PlanLines::show(const adm::CommandResult& answer) {
  if (std::exchange(errors_, answer.err) != answer.err)
    std::fputs(without_controls(answer.err).c_str(), stderr);
  const std::string plan = lasting_part(answer.data);
  if (std::exchange(plan_, plan) == plan) return;
  if (is_document()) {
    print_document(output_, answer.data, true);
  } else {
    command_line::print(painted(without_controls(answer.out), command_line::Style()) + "\n");
  }
  std::fflush(stdout);
}

void PlanLines::show_progress(const ClusterVersion& version) {
  const auto progressing = version.condition("Progressing");
  const std::string text =
      progressing && progressing->is_true() ? std::string(progressing->message()) : std::string();
  if (std::exchange(progress_, text) == text || text.empty() || is_document()) return;
  command_line::print(format_time(Clock::system().now()) + " " + printable(text, 1'000) + "\n");
  std::fflush(stdout);
}

}  // namespace

void add_plan_watch_flags(CLI::App& command, PlanWatchFlags& flags) {
  constexpr const char* group = "Following a plan";
  command.add_flag("--watch", flags.watch, "Make the plan again until the cluster is at the release")
      ->group(group)
      ->configurable(false);
  command
      .add_option("--every", flags.every,
                  "With --watch: time between two plans if the cluster does not change before (default: 1m)")
      ->type_name("DURATION")
      ->group(group)
      ->configurable(false);
}

Result<std::optional<seconds>> check(const PlanWatchFlags& flags, const ClusterFlags& cluster) {
  if (!flags.watch) {
    if (flags.every.empty()) return std::nullopt;
    return fail(ErrorCode::invalid, "--every is the time between two plans of --watch, which is missing");
  }
  if (!cluster.mock.empty())
    return fail(
        ErrorCode::invalid,
        "--watch may not be used with --mock-clusterversion: a recorded ClusterVersion never changes");
  if (flags.every.empty()) return usual_time;
  const auto every = duration_of<seconds>("every", flags.every);
  if (!every) return fail(every.error());
  return *every;
}

int watch_plan(const Cluster& cluster, const std::string& to, seconds every, const std::string& output,
               const MakePlan& make, const std::stop_token& stop) {
  Clock& clock = Clock::system();
  kube::Api<ClusterVersion> api(cluster.shared_client(), "");
  adm::ServerTroubles troubles;
  PlanLines lines(output);
  std::string parts;
  bool has_plan = false;
  SteadyTime due = SteadyTime::min();
  for (; !stop.stop_requested(); clock.wait_until(clock.steady() + std::min(every, look_again), stop)) {
    const auto version =
        api.get(std::string(ClusterVersion::object_name), Limits::within(clock, seconds(30), stop));
    if (!version) {
      if (stop.stop_requested()) break;
      if (!has_plan) return report({version.error().code, version.error().message});
      auto verdict = troubles.take(version.error().status.code(), version.error().message, clock.steady());
      if (verdict.end) return report(*verdict.end);
      if (!verdict.warning.empty()) lines.warn(verdict.warning);
      continue;
    }
    troubles.answered();
    lines.show_progress(*version);
    const adm::Progress progress = adm::progress_to(*version, to);
    if (has_plan && progress == adm::Progress::passed) {
      return report(
          {ErrorCode::conflict, "the plan to " + to + " has no end: the cluster has passed it, and has " +
                                    printable(version->desired().version()) + " or is being updated to it"});
    }
    // It was there, and has gone on.
    if (has_plan && progress == adm::Progress::arrived && !adm::is_later(*version, to)) return exit_ok;
    if (std::string now = parts_of(*version); now != parts || clock.steady() >= due) {
      parts = std::move(now);
      due = clock.steady() + every;
      const adm::CommandResult answer = make(*version, stop);
      if (stop.stop_requested()) break;
      if (answer.failed() && !has_plan) return print_answer(answer);
      if (answer.failed()) {
        lines.warn(std::string(trim(answer.err)));
      } else {
        has_plan = true;
        lines.forget_warning();
        lines.show(answer);
      }
    }
    if (progress == adm::Progress::arrived) return exit_ok;
  }
  return report({ErrorCode::cancelled, "stopped watching the plan to " + to});
}

}  // namespace fairway::cli
