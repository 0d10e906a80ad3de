// SPDX-License-Identifier: Apache-2.0

// Pods and their templates.
#include <map>
#include <optional>
#include <ranges>

#include "apiserver/internal/table/cells.h"
#include "apiserver/internal/table/printer_column.h"

namespace fairway::apiserver::table {
namespace {

using k8s::View;

bool is_true(const View& object, std::string_view condition) {
  for (const View& one : object.items("status.conditions")) {
    if (one.text("type") == condition) return one.text("status") == "True";
  }
  return false;
}

/// Number of restarts, and the time of the last one.
struct Restarts {
  std::int64_t count = 0;
  std::optional<WallTime> last;

  void add(const View& status) {
    count += status.integer("restartCount");
    const auto finished = status.find_time("lastState.terminated.finishedAt");
    if (finished && (!last || *last < *finished)) last = finished;
  }
};

/// Returns the end of a container: "Signal:9", "ExitCode:1", or the given reason.
std::string end_of(const View& terminated) {
  if (!terminated.text("reason").empty()) return std::string(terminated.text("reason"));
  if (terminated.integer("signal") != 0) return "Signal:" + std::to_string(terminated.integer("signal"));
  return "ExitCode:" + std::to_string(terminated.integer("exitCode"));
}

/// The content of the columns Ready, Status and Restarts of a Pod.
class PodSummary {
 public:
  explicit PodSummary(const View& pod) : pod_(pod) {
    const std::string_view phase = pod.text("status.phase");
    status_ = text_or(pod, "status.reason", phase);
    for (const View& condition : pod.items("status.conditions")) {
      if (condition.text("type") == "PodScheduled" && condition.text("reason") == "SchedulingGated") {
        status_ = "SchedulingGated";
      }
    }
    for (const View& container : pod.items("spec.initContainers")) {
      restartable_[container.text("name")] = container.text("restartPolicy") == "Always";
      if (container.text("restartPolicy") == "Always") ++total_;
    }
    total_ += pod.items("spec.containers").size();
    const bool initializing = read_init_containers();
    if (!initializing || is_true(pod, "Initialized")) read_containers();
    const bool has_ended = phase == "Succeeded" || phase == "Failed";
    if (pod.has("metadata.deletionTimestamp") && pod.text("status.reason") == "NodeLost") {
      status_ = "Unknown";
    } else if (pod.has("metadata.deletionTimestamp") && !has_ended) {
      status_ = "Terminating";
    }
  }

  const std::string& status() const { return status_; }
  std::string ready() const { return std::to_string(ready_) + "/" + std::to_string(total_); }
  std::string restarts(WallTime now) const {
    std::string text = std::to_string(restarts_.count);
    if (restarts_.count != 0 && restarts_.last) {
      text += " (" + human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - *restarts_.last)) +
              " ago)";
    }
    return text;
  }

 private:
  bool is_restartable(const View& status) const {
    const auto found = restartable_.find(status.text("name"));
    return found != restartable_.end() && found->second;
  }

  /// Reads the init containers. Returns whether one of them is not done: then the status names it.
  bool read_init_containers() {
    const std::vector<View> statuses = pod_.items("status.initContainerStatuses");
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const View& status = statuses[i];
      restarts_.add(status);
      if (is_restartable(status)) of_restartable_.add(status);
      const bool terminated = status.has("state.terminated");
      if (terminated && status.integer("state.terminated.exitCode") == 0) continue;
      if (is_restartable(status) && status.flag("started")) {
        if (status.flag("ready")) ++ready_;
        continue;
      }
      const std::string_view waits = status.text("state.waiting.reason");
      if (terminated) {
        status_ = "Init:" + end_of(status.at("state.terminated"));
      } else if (!waits.empty() && waits != "PodInitializing") {
        status_ = "Init:" + std::string(waits);
      } else {
        status_ =
            "Init:" + std::to_string(i) + "/" + std::to_string(pod_.items("spec.initContainers").size());
      }
      return true;
    }
    return false;
  }

  void read_containers() {
    restarts_ = of_restartable_;
    bool runs = false;
    std::string error;
    const std::vector<View> statuses = pod_.items("status.containerStatuses");
    for (const View& status : statuses | std::views::reverse) {
      restarts_.add(status);
      if (!status.text("state.waiting.reason").empty()) {
        status_ = status.text("state.waiting.reason");
      } else if (status.has("state.terminated")) {
        status_ = end_of(status.at("state.terminated"));
        if (status.integer("state.terminated.exitCode") != 0) error = status_;
      } else if (status.flag("ready") && status.has("state.running")) {
        runs = true;
        ++ready_;
      }
    }
    // A container that has completed does not hide one that still runs, or has failed.
    if (status_ != "Completed") return;
    if (runs && is_true(pod_, "Ready")) {
      status_ = "Running";
    } else if (!error.empty()) {
      status_ = error;
    } else if (runs) {
      status_ = "NotReady";
    }
  }

  const View& pod_;
  std::string status_;
  std::map<std::string_view, bool> restartable_;
  std::size_t ready_ = 0, total_ = 0;
  Restarts restarts_, of_restartable_;
};

std::string readiness_gates(const View& pod) {
  const std::vector<View> gates = pod.items("spec.readinessGates");
  if (gates.empty()) return "<none>";
  std::size_t open = 0;
  for (const View& gate : gates) open += is_true(pod, gate.text("conditionType")) ? 1 : 0;
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

std::string address_of(const View& pod) {
  const std::vector<View> addresses = pod.items("status.podIPs");
  if (!addresses.empty()) return text_or(addresses.front(), "ip", "<none>");
  return text_or(pod, "status.podIP", "<none>");
}

json::Array conditions_of(const View& pod) {
  const std::string_view phase = pod.text("status.phase");
  if (phase != "Succeeded" && phase != "Failed") return {};
  return {json::Object{
      {"type", "Completed"},
      {"status", "True"},
      {"reason", phase},
      {"message", phase == "Failed" ? "The pod failed." : "The pod has completed successfully."}}};
}

Row pod(const View& pod, WallTime now) {
  const PodSummary summary(pod);
  return {{name_of(pod), summary.ready(), summary.status(), summary.restarts(now), age(pod, now),
           address_of(pod), text_or(pod, "spec.nodeName", "<none>"),
           text_or(pod, "status.nominatedNodeName", "<none>"), readiness_gates(pod)},
          conditions_of(pod)};
}

Row pod_template(const View& object, WallTime) {
  const View spec = object.at("template.spec");
  return {{name_of(object), container_names(spec), container_images(spec),
           labels_text(object.map("template.metadata.labels"))},
          {}};
}

}  // namespace

std::vector<Printer> pod_printers() {
  return {{{"", "Pod"},
           {name_header,
            {"Ready"},
            {"Status"},
            {"Restarts"},
            age_header,
            wide("IP"),
            wide("Node"),
            wide("Nominated Node"),
            wide("Readiness Gates")},
           &pod},
          {{"", "PodTemplate"}, {name_header, {"Containers"}, {"Images"}, {"Pod Labels"}}, &pod_template}};
}

}  // namespace fairway::apiserver::table
