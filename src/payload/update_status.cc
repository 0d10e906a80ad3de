#include "payload/update_status.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "k8s/condition.h"
#include "payload/history.h"

namespace fairway::payload {

namespace {

using k8s::ConditionStatus;

constexpr std::chrono::minutes fails_after{40};
constexpr std::chrono::minutes slow_after{30};
/// machine-config restarts every node.
constexpr std::chrono::minutes slow_after_with_nodes{90};
/// What Kubernetes takes at most in a condition.
constexpr std::size_t max_message = 32'768, max_reason = 1'024;
constexpr std::string_view operator_of_nodes = "machine-config";

/// A condition as it shall be. An empty reason or message is left out.
struct Said {
  const char* type;
  ConditionStatus status = ConditionStatus::is_false;
  std::string reason = {}, message = {};
};

void set_condition(openshift::ClusterVersion& object, const Said& said, WallTime now) {
  json::Array& list = object.array("status.conditions");
  json::Object* found = nullptr;
  for (json::Value& one : list) {
    if (json::find_string(one, "type") == said.type) found = one.if_object();
  }
  if (found == nullptr) found = &list.emplace_back(json::Object{{"type", said.type}}).as_object();
  k8s::Editor condition(*found);
  const std::string_view status = k8s::to_string(said.status);
  if (condition.text("status") != status || !condition.has("lastTransitionTime")) {
    condition.set("status", status);
    condition.set_time("lastTransitionTime", now);
  }
  const auto set_or_erase = [&](const char* field, const std::string& text) {
    if (text.empty()) {
      condition.erase(field);
    } else if (condition.text(field) != text) {
      condition.set(field, text);
    }
  };
  set_or_erase("reason", cut_text(said.reason, max_reason));
  set_or_erase("message", cut_text(said.message, max_message));
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

/// What a failure comes to, and for how long it has been so.
struct Assessment {
  std::string message;    ///< for Progressing: "waiting on etcd"
  bool goes_on = false;   ///< the update does not fail for it
  std::string slow = {};  ///< for Failing=Unknown
};

std::vector<std::string> names_of(const UpdateError& error) {
  return error.names.empty() ? std::vector<std::string>{error.name} : error.names;
}

/// Those that have been updating for longer than `minutes` says for each.
template <class Minutes>
std::vector<std::string> longer_than(const UpdateStatus& status, const UpdateError& error, WallTime now,
                                     const Minutes& minutes) {
  std::vector<std::string> names;
  for (const std::string& name : names_of(error)) {
    const auto since = status.operators_updating_since.find(name);
    if (since != status.operators_updating_since.end() && since->second < now - minutes(name))
      names.push_back(name);
  }
  return names;
}

Assessment assess(const UpdateStatus& status, WallTime now) {
  const UpdateError& error = *status.failure;
  if (status.reconciling || error.reason.empty()) return {};
  switch (error.effect) {
    case UpdateEffect::fail:
      return {};
    case UpdateEffect::report:
      return {.message = error.message};
    case UpdateEffect::none: {
      const auto limit = [](const std::string& name) {
        return name == operator_of_nodes ? slow_after_with_nodes : slow_after;
      };
      std::vector<std::string> slow;
      for (const std::string& name : longer_than(status, error, now, limit))
        slow.push_back(name + " over " + std::to_string(limit(name).count()) + " minutes");
      if (slow.empty()) return {.message = "waiting on " + error.name, .goes_on = true};
      const std::string text = "waiting on " + join(slow, " and ") + " which is longer than expected";
      return {.message = text, .goes_on = true, .slow = text};
    }
    case UpdateEffect::fail_after_interval: {
      const auto exceeded =
          longer_than(status, error, now, [](const std::string& /*name*/) { return fails_after; });
      if (exceeded.empty()) return {.message = "waiting up to 40 minutes on " + error.name, .goes_on = true};
      return {.message = "wait has exceeded 40 minutes for these operators: " + join(exceeded, ", ")};
    }
  }
  return {};
}

/// What Failing tells: of several errors those that are more than a matter of time.
UpdateError what_fails(const UpdateError& error) {
  if (error.reason != "MultipleErrors") return error;
  std::vector<UpdateError> grave;
  for (const UpdateError& one : error.nested)
    if (one.effect != UpdateEffect::none) grave.push_back(one);
  return grave.empty() || grave.size() == error.nested.size() ? error : merge_errors(std::move(grave));
}

Said progressing(const UpdateStatus& status, const Assessment& assessment) {
  Said said{"Progressing", status.reconciling ? ConditionStatus::is_false : ConditionStatus::is_true};
  const bool invalid = !status.validation_errors.empty();
  if (status.failure && !assessment.goes_on) {
    const UpdateError& error = *status.failure;
    said.reason = error.reason;
    std::string why = assessment.message;
    if (why.empty())
      why = error.reason.empty() ? "an error occurred" : summary_for_reason(error.reason, error.name);
    said.message =
        (status.reconciling ? "Error while reconciling " : "Unable to apply ") + status.version + ": " + why;
    return said;
  }
  if (invalid) {
    said.reason = "InvalidClusterVersion";
    said.message = (status.reconciling ? "Stopped at " : "Reconciling ") + status.version +
                   ": the cluster version is invalid";
    return said;
  }
  if (status.reconciling) {
    said.message = "Cluster version is " + status.version;
    return said;
  }
  said.message = "Working towards " + status.version;
  if (status.done > 0 && status.total > 0) {
    said.message += ": " + std::to_string(status.done) + " of " + std::to_string(status.total) + " done (" +
                    std::to_string(status.done * 100 / status.total) + "% complete)";
  }
  if (assessment.goes_on) {
    said.reason = status.failure->reason;
    said.message += (status.done > 0 ? ", " : ": ") + assessment.message;
  }
  return said;
}

Said failing(const UpdateStatus& status, const Assessment& assessment) {
  if (!assessment.slow.empty())
    return {"Failing", ConditionStatus::unknown, "SlowClusterOperator", assessment.slow};
  if (!status.failure || assessment.goes_on) return {"Failing"};
  const UpdateError error = what_fails(*status.failure);
  return {"Failing", ConditionStatus::is_true, error.reason, error.message};
}

void write_accepted(openshift::ClusterVersion& object, const LoadStatus& load, WallTime now) {
  const auto status = load.step == LoadStep::payload_loaded ? ConditionStatus::is_true
                      : load.failed                         ? ConditionStatus::is_false
                                                            : ConditionStatus::unknown;
  set_condition(object, {"ReleaseAccepted", status, std::string(to_string(load.step)), load.message}, now);
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
  set_condition(object,
                {"ImplicitlyEnabledCapabilities", ConditionStatus::is_false, "AsExpected",
                 "Capabilities match configured spec"},
                now);
  if (status.load) write_accepted(object, *status.load, now);
  if (status.completed) {
    set_condition(object, {"Available", ConditionStatus::is_true, "", "Done applying " + status.version},
                  now);
  } else if (!object.condition("Available")) {
    set_condition(object, {"Available"}, now);
  }
  const Assessment assessment = status.failure ? assess(status, now) : Assessment{};
  set_condition(object, failing(status, assessment), now);
  set_condition(object, progressing(status, assessment), now);
  if (!object.condition("RetrievedUpdates")) set_condition(object, {"RetrievedUpdates"}, now);
}

}  // namespace fairway::payload
