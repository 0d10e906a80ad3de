// SPDX-License-Identifier: Apache-2.0

#include "payload/update_status.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "k8s/set_condition.h"
#include "payload/internal/history.h"

namespace fairway::payload {

namespace {

using k8s::ConditionStatus;

constexpr std::chrono::minutes fails_after{40};
constexpr std::chrono::minutes slow_after{30};
/// Longer than for other operators, as machine-config restarts every node.
constexpr std::chrono::minutes slow_after_with_nodes{90};
/// Limits of the texts of a condition in Kubernetes.
constexpr std::size_t max_message = 32'768, max_reason = 1'024;
constexpr std::string_view operator_of_nodes = "machine-config";

/// A condition as it is to be written. An empty reason or message is left out.
struct ConditionValue {
  const char* type;
  ConditionStatus status = ConditionStatus::is_false;
  std::string reason = {}, message = {};
};

void set_condition(openshift::ClusterVersion& object, const ConditionValue& value, WallTime now) {
  k8s::set_condition(object.array("status.conditions"), value.type, value.status,
                     cut_text(value.reason, max_reason), cut_text(value.message, max_message), now);
}

void remove_condition(openshift::ClusterVersion& object, std::string_view type) {
  json::Array& list = object.array("status.conditions");
  const auto at = std::ranges::find_if(
      list, [&](const json::Value& one) { return json::find_string(one, "type") == type; });
  if (at != list.end()) list.erase(at);
}

std::string invalid_message(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return "The cluster version is invalid: " + errors.front();
  std::string text = "The cluster version is invalid:\n";
  for (const std::string& error : errors) text += "* " + error + "\n";
  return text;
}

/// The meaning of a failure while updating.
struct Assessment {
  std::string message;    ///< text for Progressing: "waiting on etcd"
  bool goes_on = false;   ///< true if the update does not fail for it
  std::string slow = {};  ///< text for Failing=Unknown
};

std::vector<std::string> names_of(const UpdateError& error) {
  return error.names.empty() ? std::vector<std::string>{error.name} : error.names;
}

/// Returns the time since which a ClusterOperator has been updating; WallTime{} if it was not recorded.
WallTime updating_since(const UpdateStatus& status, const std::string& name) {
  const auto since = status.operators_updating_since.find(name);
  return since == status.operators_updating_since.end() ? WallTime{} : since->second;
}

std::string over(const std::string& names, std::chrono::minutes limit) {
  return names + " over " + std::to_string(limit.count()) + " minutes";
}

/// Assesses an error that only means waiting; the text says if it takes longer than usual. An operator whose
/// start is not known is not slow.
Assessment assess_wait(const UpdateStatus& status, const UpdateError& error, WallTime now) {
  const std::vector<std::string> names = names_of(error);
  std::vector<std::string> slow;
  bool slow_nodes = false;
  for (const std::string& name : names) {
    const WallTime since = updating_since(status, name);
    if (since == WallTime{}) continue;
    if (name == operator_of_nodes) {
      slow_nodes = slow_nodes || since < now - slow_after_with_nodes;
    } else if (since < now - slow_after) {
      slow.push_back(name);
    }
  }
  // Each limit is stated once, for all operators that it applies to.
  std::vector<std::string> parts;
  if (!slow.empty()) parts.push_back(over(join(slow, ", "), slow_after));
  if (slow_nodes) parts.push_back(over(std::string(operator_of_nodes), slow_after_with_nodes));
  if (parts.empty()) return {.message = "waiting on " + join(names, ", "), .goes_on = true};
  const std::string text = "waiting on " + join(parts, " and ") + " which is longer than expected";
  return {.message = text, .goes_on = true, .slow = text};
}

/// Assesses an error that fails the update only if it lasts too long. If its start is not known, it has.
Assessment assess_interval(const UpdateStatus& status, const UpdateError& error, WallTime now) {
  std::vector<std::string> exceeded;
  for (const std::string& name : names_of(error))
    if (updating_since(status, name) < now - fails_after) exceeded.push_back(name);
  if (exceeded.empty()) return {.message = "waiting up to 40 minutes on " + error.name, .goes_on = true};
  return {.message = "wait has exceeded 40 minutes for these operators: " + join(exceeded, ", ")};
}

Assessment assess(const UpdateStatus& status, const UpdateError& error, WallTime now) {
  switch (error.effect) {
    case UpdateEffect::fail:
      break;
    case UpdateEffect::report:
      return {.message = error.message};
    case UpdateEffect::none:
      return assess_wait(status, error, now);
    case UpdateEffect::fail_after_interval:
      return assess_interval(status, error, now);
  }
  return {};
}

/// Returns the error for Failing while updating: of several errors those that are more than waiting.
/// std::nullopt: there is none.
std::optional<UpdateError> what_fails(const UpdateError& error) {
  if (error.reason != "MultipleErrors" || error.nested.empty()) return error;
  std::vector<UpdateError> grave;
  for (const UpdateError& one : error.nested)
    if (one.effect != UpdateEffect::none) grave.push_back(one);
  if (grave.empty()) return std::nullopt;
  return several_errors(std::move(grave));
}

/// Returns the name of a release: its version, else its image.
const std::string& name_of(const UpdateStatus& status) {
  static const std::string unknown = "<unknown>";
  if (!status.version.empty()) return status.version;
  return status.image.empty() ? unknown : status.image;
}

/// Returns the percentage, rounded down: "16". Computed in single precision as the cluster-version operator
/// does, so that 53 of 100 are 52.
std::string percent(std::size_t done, std::size_t total) {
  const float part = static_cast<float>(done) / static_cast<float>(total);
  return std::to_string(static_cast<int>(part * 100));
}

ConditionValue progressing(const UpdateStatus& status, const Assessment& assessment) {
  ConditionValue value{"Progressing",
                       status.reconciling ? ConditionStatus::is_false : ConditionStatus::is_true};
  const bool invalid = !status.validation_errors.empty();
  if (status.failure && !assessment.goes_on) {
    const UpdateError& error = *status.failure;
    value.reason = error.reason;
    std::string why = assessment.message;
    if (why.empty())
      why = error.reason.empty() ? "an error occurred" : summary_for_reason(error.reason, error.name);
    value.message =
        (status.reconciling ? "Error while reconciling " : "Unable to apply ") + name_of(status) + ": " + why;
    return value;
  }
  if (invalid) {
    value.reason = "InvalidClusterVersion";
    value.message = (status.reconciling ? "Stopped at " : "Reconciling ") + name_of(status) +
                    ": the cluster version is invalid";
    return value;
  }
  if (status.reconciling) {
    value.message = "Cluster version is " + name_of(status);
    return value;
  }
  value.message = "Working towards " + name_of(status);
  if (status.done > 0 && status.total > 0) {
    value.message += ": " + std::to_string(status.done) + " of " + std::to_string(status.total) + " done (" +
                     percent(status.done, status.total) + "% complete)";
  }
  if (assessment.goes_on) {
    value.reason = status.failure->reason;
    value.message += (status.done > 0 ? ", " : ": ") + assessment.message;
  }
  return value;
}

ConditionValue failing(const std::optional<UpdateError>& failure, const Assessment& assessment) {
  if (!failure) return {"Failing"};
  if (!assessment.slow.empty())
    return {"Failing", ConditionStatus::unknown, "SlowClusterOperator", assessment.slow};
  if (assessment.goes_on) return {"Failing"};
  return {"Failing", ConditionStatus::is_true, failure->reason, failure->message};
}

void write_accepted(openshift::ClusterVersion& object, const LoadStatus& load, WallTime now) {
  const auto status = load.step == LoadStep::payload_loaded ? ConditionStatus::is_true
                      : load.failed                         ? ConditionStatus::is_false
                                                            : ConditionStatus::unknown;
  set_condition(object, {"ReleaseAccepted", status, std::string(to_string(load.step)), load.message}, now);
}

void write_capabilities(openshift::ClusterVersion& object, const UpdateStatus& status, WallTime now) {
  const std::optional<Capabilities>& capabilities = status.capabilities;
  constexpr const char* type = "ImplicitlyEnabledCapabilities";
  if (!capabilities && object.condition(type)) return;
  if (capabilities) object.set("status.capabilities", capabilities->to_status());
  if (!capabilities || capabilities->implicit.empty()) {
    set_condition(object,
                  {type, ConditionStatus::is_false, "AsExpected", "Capabilities match configured spec"}, now);
    return;
  }
  const std::vector<std::string> names(capabilities->implicit.begin(), capabilities->implicit.end());
  set_condition(object,
                {type, ConditionStatus::is_true, "CapabilitiesImplicitlyEnabled",
                 "The following capabilities could not be disabled: " + join(names, ", ")},
                now);
}

}  // namespace

void write_update_status(openshift::ClusterVersion& object, const UpdateStatus& status, WallTime now) {
  HistoryRecord record{.version = status.version,
                       .image = status.image,
                       .completed = status.completed,
                       .verified = status.verified,
                       .accepted_risks = {}};
  if (status.load && !status.load->local)
    record.accepted_risks = status.load->image == status.image ? status.load->accepted_risks : "";
  record_history(object.array("status.history"), record, now);

  if (status.validation_errors.empty()) {
    remove_condition(object, "Invalid");
  } else {
    set_condition(object,
                  {"Invalid", ConditionStatus::is_true, "InvalidClusterVersion",
                   invalid_message(status.validation_errors)},
                  now);
  }
  write_capabilities(object, status, now);
  if (status.load) write_accepted(object, *status.load, now);
  if (status.completed) {
    set_condition(object, {"Available", ConditionStatus::is_true, "", "Done applying " + name_of(status)},
                  now);
  } else if (!object.condition("Available")) {
    set_condition(object, {"Available"}, now);
  }
  // A failure is assessed only while updating: a release that has been applied once needs no time.
  const bool weighed = status.failure && !status.reconciling && !object.history().empty();
  const Assessment assessment = weighed ? assess(status, *status.failure, now) : Assessment{};
  set_condition(object, failing(weighed ? what_fails(*status.failure) : status.failure, assessment), now);
  set_condition(object, progressing(status, assessment), now);
  if (!object.condition("RetrievedUpdates")) set_condition(object, {"RetrievedUpdates"}, now);
}

}  // namespace fairway::payload
