// SPDX-License-Identifier: Apache-2.0

// Pods, and the parts that pods and their templates have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

/// An entry of `spec.containers`.
class Container : public Checked<View, openapi::container> {
 public:
  using Checked::Checked;
  std::string_view name() const { return text("name"); }
  std::string_view image() const { return text("image"); }
  std::vector<std::string_view> command() const { return texts("command"); }
  std::vector<std::string_view> args() const { return texts("args"); }
};

/// An entry of `status.containerStatuses`.
class ContainerStatus : public Checked<View, openapi::container_status> {
 public:
  using Checked::Checked;
  std::string_view name() const { return text("name"); }
  /// Returns the running image, by digest.
  std::string_view image_id() const { return text("imageID"); }
  bool ready() const { return flag("ready"); }
  bool started() const { return flag("started"); }
  std::int64_t restarts() const { return integer("restartCount"); }
  bool is_running() const { return has("state.running"); }
  bool is_terminated() const { return has("state.terminated"); }
  /// Reason why it does not run yet ("CrashLoopBackOff"); empty if it is not waiting.
  std::string_view waiting_reason() const { return text("state.waiting.reason"); }
  std::string_view waiting_message() const { return text("state.waiting.message"); }
  /// Exit code of the current run if it has ended, otherwise of the previous run; std::nullopt: none has
  /// ended.
  std::optional<std::int64_t> exit_code() const {
    const auto now = find_integer("state.terminated.exitCode");
    return now ? now : find_integer("lastState.terminated.exitCode");
  }
  std::string_view terminated_reason() const {
    return text("state.terminated.reason", text("lastState.terminated.reason"));
  }
};

class Pod : public Checked<Dynamic, openapi::pod> {
 public:
  static constexpr Resource resource{"", "v1", "Pod", "pods"};
  using Checked::Checked;

  /// "Pending", "Running", "Succeeded", "Failed" or "Unknown".
  std::string_view phase() const { return text("status.phase"); }
  std::string_view reason() const { return text("status.reason"); }
  std::string_view message() const { return text("status.message"); }
  /// Returns whether the condition Ready is True. Services send traffic to it then, unless it is being
  /// deleted.
  bool is_ready() const { return condition_is_true("Ready"); }
  std::string_view node_name() const { return text("spec.nodeName"); }
  std::string_view service_account() const { return text("spec.serviceAccountName"); }
  bool host_network() const { return flag("spec.hostNetwork"); }
  std::vector<Container> containers() const { return items<Container>("spec.containers"); }
  std::vector<ContainerStatus> container_statuses() const {
    return items<ContainerStatus>("status.containerStatuses");
  }
  std::vector<ContainerStatus> init_container_statuses() const {
    return items<ContainerStatus>("status.initContainerStatuses");
  }
  std::optional<WallTime> started() const { return find_time("status.startTime"); }
  std::string_view ip() const { return text("status.podIP"); }
  /// Returns one address for each family, `ip()` first.
  std::vector<std::string_view> ips() const;
  std::string_view host_ip() const { return text("status.hostIP"); }
};

/// The template of a workload's pods.
class PodTemplate : public Checked<View, openapi::pod_template_spec> {
 public:
  using Checked::Checked;
  StringMap labels() const { return map("metadata.labels"); }
  StringMap annotations() const { return map("metadata.annotations"); }
  std::vector<Container> containers() const { return items<Container>("spec.containers"); }
  std::string_view service_account() const { return text("spec.serviceAccountName"); }
};

/// An editor of the template of a workload's pods. Lists such as containers are set as JSON:
/// `set_json("spec.containers", ...)`.
class PodTemplateEditor : public Checked<Editor, openapi::pod_template_spec> {
 public:
  using Checked::Checked;
  void set_label(std::string_view key, std::string_view value) { set_entry("metadata.labels", key, value); }
  void set_annotation(std::string_view key, std::string_view value) {
    set_entry("metadata.annotations", key, value);
  }
  void set_service_account(std::string_view name) { set("spec.serviceAccountName", name); }
};

}  // namespace fairway::k8s
