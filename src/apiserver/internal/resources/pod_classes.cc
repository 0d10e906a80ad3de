// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/pod_classes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/internal/resources/class_checks.h"
#include "apiserver/internal/resources/limit_defaults.h"
#include "apiserver/internal/resources/same_value.h"
#include "apiserver/internal/resources/stored_object.h"
#include "apiserver/internal/resources/token_volume.h"
#include "base/quoted_text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using Done = k8s::StatusResult<void>;

constexpr std::string_view priorities = "scheduling.k8s.io/priorityclasses",
                           runtimes = "node.k8s.io/runtimeclasses";
constexpr std::string_view account_path = "spec.serviceAccountName", class_path = "spec.priorityClassName",
                           priority_path = "spec.priority", policy_path = "spec.preemptionPolicy",
                           overhead_path = "spec.overhead", tolerations_path = "spec.tolerations";
constexpr std::string_view usual_policy = "PreemptLowerPriority";

/// Returns the default among all PriorityClasses: the lowest, if there are several.
k8s::StatusResult<std::optional<Dynamic>> find_default_priority(storage::Storage& storage) {
  const auto all = storage.list({.resource = std::string(priorities)});
  if (!all) return std::unexpected(status_of(all.error()));
  std::optional<Dynamic> found;
  for (const storage::RecordPtr& record : all->records) {
    Dynamic one = parse(*record);
    if (!one.flag("globalDefault")) continue;
    if (!found || one.integer("value") < found->integer("value")) found = std::move(one);
  }
  return found;
}

class PodCompletion {
 public:
  PodCompletion(storage::Storage& storage, Dynamic& pod, const Random& random)
      : storage_(storage), pod_(pod), random_(random) {}

  Done complete(const PodPlugins& plugins) {
    if (plugins.limit_ranger) {
      if (auto done = take_limit_defaults(storage_, pod_); !done) return done;
    }
    if (plugins.accounts != PodAccounts::ignored) {
      if (auto done = take_account(plugins.accounts); !done) return done;
    }
    if (auto done = take_priority(); !done) return done;
    return take_runtime();
  }

 private:
  std::unexpected<k8s::Status> forbidden(std::string_view why) const {
    return std::unexpected(k8s::answer::forbidden({"", "pods"}, pod_.name(), why));
  }

  /// Finds an object; std::nullopt if it does not exist.
  k8s::StatusResult<std::optional<Dynamic>> find(std::string_view resource, std::string_view in,
                                                 std::string_view name) const {
    const auto found = storage_.get({std::string(resource), std::string(in), std::string(name)});
    if (!found) return std::unexpected(status_of(found.error()));
    if (*found == nullptr) return std::nullopt;
    return parse(**found);
  }

  Done take_account(PodAccounts accounts) {
    constexpr std::string_view usual = "default";
    // Such a Pod is a copy of one that a node runs by itself.
    const bool is_mirror = !pod_.annotation("kubernetes.io/config.mirror").empty();
    if (is_mirror) {
      if (pod_.text(account_path).empty()) return {};
      return forbidden("a mirror pod may not reference service accounts");
    }
    if (pod_.text(account_path).empty()) pod_.set(account_path, usual);
    const std::string name(pod_.text(account_path)), in(pod_.namespace_name());
    pod_.set("spec.serviceAccount", name);
    const auto account = find("serviceaccounts", in, name);
    if (!account) return std::unexpected(account.error());
    if (!*account) {
      if (name == usual && accounts != PodAccounts::required) return {};
      return forbidden("error looking up service account " + in + "/" + name + ": serviceaccount " +
                       quote(name) + " not found");
    }
    mount_token(pod_, **account, random_);
    constexpr std::string_view secrets = "spec.imagePullSecrets";
    if (pod_.items(secrets).empty() && !(*account)->items("imagePullSecrets").empty())
      pod_.set(secrets, value_at(**account, "imagePullSecrets"));
    return {};
  }

  struct Priority {
    std::int64_t value = 0;
    std::string policy;
  };

  k8s::StatusResult<Priority> find_priority() {
    const std::string name(pod_.text(class_path));
    const auto priority_of = [](const Dynamic& one) {
      return Priority{one.integer("value"), std::string(one.text("preemptionPolicy", usual_policy))};
    };
    if (name.empty()) {
      const auto usual = find_default_priority(storage_);
      if (!usual) return std::unexpected(usual.error());
      if (!*usual) return Priority{0, std::string(usual_policy)};
      pod_.set(class_path, (*usual)->name());
      return priority_of(**usual);
    }
    const auto found = find(priorities, "", name);
    if (!found) return std::unexpected(found.error());
    if (*found) return priority_of(**found);
    const auto* known = std::ranges::find(system_priorities, name, &SystemPriority::name);
    if (known != system_priorities.end()) return Priority{known->value, std::string(usual_policy)};
    return forbidden("no PriorityClass with name " + name + " was found");
  }

  Done take_priority() {
    const auto priority = find_priority();
    if (!priority) return std::unexpected(priority.error());
    constexpr std::string_view computed =
        " must not be provided in pod spec; priority admission controller computed ";
    constexpr std::string_view from = " from the given PriorityClass name";
    const auto given = pod_.find_integer(priority_path);
    if (given && *given != priority->value) {
      return forbidden("the integer value of priority (" + std::to_string(*given) + ")" +
                       std::string(computed) + std::to_string(priority->value) + std::string(from));
    }
    pod_.set(priority_path, json::Value(priority->value));
    const auto policy = pod_.find_text(policy_path);
    if (policy && *policy != priority->policy) {
      return forbidden("the string value of PreemptionPolicy (" + std::string(*policy) + ")" +
                       std::string(computed) + priority->policy + std::string(from));
    }
    pod_.set(policy_path, priority->policy);
    return {};
  }

  Done take_runtime() {
    std::optional<Dynamic> runtime;
    if (pod_.has("spec.runtimeClassName")) {
      const std::string name(pod_.text("spec.runtimeClassName"));
      auto found = find(runtimes, "", name);
      if (!found) return std::unexpected(found.error());
      if (!*found) return forbidden("pod rejected: RuntimeClass " + quote(name) + " not found");
      runtime = *std::move(found);
    }
    if (!runtime || !runtime->has("overhead")) {
      if (!pod_.has(overhead_path)) return take_scheduling(runtime);
      return forbidden("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    }
    const json::Value overhead = value_at(*runtime, "overhead.podFixed");
    if (pod_.has(overhead_path) && !same_value(&overhead, pod_.find(overhead_path)))
      return forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    if (!overhead.is_null()) pod_.set(overhead_path, overhead);
    return take_scheduling(runtime);
  }

  Done take_scheduling(const std::optional<Dynamic>& runtime) {
    if (!runtime) return {};
    constexpr std::string_view selector = "spec.nodeSelector";
    for (const auto& [key, wanted] : runtime->map("scheduling.nodeSelector")) {
      const auto given = pod_.map(selector).find(key);
      if (given && *given != wanted) {
        const std::string label(key);
        return forbidden("conflict: runtimeClass.scheduling.nodeSelector[" + label +
                         "] = " + std::string(wanted) + "; pod.spec.nodeSelector[" + label +
                         "] = " + std::string(*given));
      }
      pod_.set_entry(selector, key, wanted);
    }
    for (const k8s::View& toleration : runtime->items("scheduling.tolerations")) {
      const json::Value wanted(toleration.json());
      const auto all = pod_.items(tolerations_path);
      const bool is_there = std::ranges::any_of(all, [&](const k8s::View& one) {
        const json::Value given(one.json());
        return same_value(&given, &wanted);
      });
      if (!is_there) pod_.array(tolerations_path).push_back(wanted);
    }
    return {};
  }

  storage::Storage& storage_;
  Dynamic& pod_;
  const Random& random_;
};

}  // namespace

Done complete_pod(storage::Storage& storage, Dynamic& pod, const PodPlugins& plugins, const Random& random) {
  return PodCompletion(storage, pod, random).complete(plugins);
}

Done check_default_priority(storage::Storage& storage, const Dynamic& priority, const Dynamic* old) {
  if (!priority.flag("globalDefault")) return {};
  const auto usual = find_default_priority(storage);
  if (!usual) return std::unexpected(usual.error());
  if (!*usual || (old != nullptr && (*usual)->name() == priority.name())) return {};
  return std::unexpected(
      k8s::answer::forbidden({"scheduling.k8s.io", "priorityclasses"}, priority.name(),
                             "PriorityClass " + std::string((*usual)->name()) +
                                 " is already marked as default. Only one default can exist"));
}

}  // namespace fairway::apiserver::resources
