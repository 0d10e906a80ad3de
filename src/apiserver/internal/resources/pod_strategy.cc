// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/pod_strategy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/resources/label_keys.h"
#include "apiserver/internal/resources/pod_classes.h"
#include "apiserver/internal/resources/take_over.h"
#include "apiserver/internal/resources/write_scope.h"
#include "apiserver/internal/validation/pod_part_changes.h"
#include "apiserver/internal/validation/pods.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;
using k8s::View;

constexpr std::string_view tolerations_path = "spec.tolerations",
                           grace_path = "spec.terminationGracePeriodSeconds";
constexpr std::int64_t default_grace_seconds = 30;
/// The longest grace period: later times than in 68 years are of no use, and some cannot be written.
constexpr std::int64_t longest_grace_seconds = INT32_MAX;
constexpr std::array<std::string_view, 2> container_lists{"spec.containers", "spec.initContainers"};

/// Returns whether a Pod stays on a node that has the taint, with the effect NoExecute, at least for some
/// time.
bool tolerates(const Dynamic& pod, std::string_view taint) {
  return std::ranges::any_of(pod.items(tolerations_path), [&](const View& one) {
    const std::string_view key = one.text("key"), effect = one.text("effect");
    return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
  });
}

void add_tolerations(Dynamic& pod) {
  constexpr std::int64_t seconds = 300;
  for (const char* const taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (tolerates(pod, taint)) continue;
    pod.array(tolerations_path)
        .push_back(json::Object{
            {"key", taint}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", seconds}});
  }
}

/// Returns the class of service: Guaranteed if all containers have limits of both resources that equal their
/// requests, BestEffort if none has any. Quantities are in their canonical form here.
std::string_view class_of_service(const Dynamic& pod) {
  bool any = false, all = true;
  for (const std::string_view list : container_lists) {
    for (const View& container : pod.items(list)) {
      const k8s::StringMap requests = container.map("resources.requests"),
                           limits = container.map("resources.limits");
      for (const std::string_view resource : {"cpu", "memory"}) {
        const auto asked = requests.find(resource), limited = limits.find(resource);
        const auto counts = [](const auto& quantity) { return quantity && *quantity != "0"; };
        any = any || counts(asked) || counts(limited);
        all = all && counts(limited) && (!asked || *asked == *limited);
      }
    }
  }
  return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
}

/// Takes over the resources of a Pod's containers and of the Pod. Containers that have come, gone or changed
/// places are taken over as they are: validation refuses them.
void take_resources(Dynamic& stored, const Dynamic& from) {
  take_over(stored, from, "spec.resources");
  for (const std::string_view list : container_lists) {
    const auto wanted = from.items(list), present = stored.items(list);
    if (!std::ranges::equal(wanted, present,
                            [](const View& a, const View& b) { return a.text("name") == b.text("name"); })) {
      take_over(stored, from, list);
      continue;
    }
    std::size_t index = 0;
    for (k8s::Editor container : stored.edit_items(list)) {
      const View& one = wanted[index++];
      for (const std::string_view member : {"resources", "resizePolicy"}) {
        if (const json::Value* value = one.find(member)) {
          container.set(member, json::Value(*value));
        } else {
          container.erase(member);
        }
      }
    }
  }
}

/// Returns the class of service that a Pod had, if a resize changes it; else an empty one.
std::string_view lost_class(const Dynamic& pod, const Dynamic& old) {
  std::string_view before = old.text("status.qosClass");
  if (before.empty()) before = class_of_service(old);
  return class_of_service(pod) == before ? std::string_view() : before;
}

class PodStrategy final : public Strategy {
 public:
  explicit PodStrategy(const PodPlugins& plugins) : plugins_(plugins) {}

  k8s::StatusResult<void> complete(Dynamic& pod, const WriteScope& scope) const override {
    return complete_pod(scope.storage, pod, plugins_, scope.random);
  }
  std::optional<std::int64_t> grace_seconds(const Dynamic& pod,
                                            const k8s::DeleteOptions& options) const override {
    const std::string_view phase = pod.text("status.phase");
    // Nobody runs it.
    if (pod.text("spec.nodeName").empty() || phase == "Failed" || phase == "Succeeded") return 0;
    const std::int64_t seconds =
        options.grace_period ? options.grace_period->count() : pod.integer(grace_path, default_grace_seconds);
    return seconds < 0 ? 1 : std::min(seconds, longest_grace_seconds);
  }
  void prepare_for_create(Dynamic& object) const override {
    object.set("status.phase", "Pending");
    object.set("status.qosClass", class_of_service(object));
    add_label_keys(object);
    add_tolerations(object);
  }
  void prepare_for_update(Dynamic& object, const Dynamic& old, Part part) const override {
    if (part == Part::object) {
      add_tolerations(object);
      // Given when it was made: whoever writes what they have sent before does not mean to take it away.
      for (const std::string_view given : {"spec.priority", "spec.preemptionPolicy"}) {
        if (const json::Value* value = old.find(given); value != nullptr && !object.has(given))
          object.set(given, json::Value(*value));
      }
    }
    if (part == Part::status && object.text("status.qosClass").empty() && old.has("status.qosClass"))
      object.set("status.qosClass", old.text("status.qosClass"));
  }

  void take_part(Dynamic& stored, const Dynamic& from, Part part) const override {
    if (part == Part::ephemeral_containers) {
      take_over(stored, from, "spec.ephemeralContainers");
    } else if (part == Part::resize) {
      take_resources(stored, from);
    }
  }

  std::vector<FieldError> validate(const Dynamic& object, const Dynamic* old, Part part) const override {
    switch (part) {
      case Part::object:
        return old == nullptr ? validation::check_new_pod(object)
                              : validation::check_pod_update(object, *old);
      case Part::ephemeral_containers:
        return validation::check_ephemeral_containers(object, *old);
      case Part::resize:
        return validation::check_resize(object, *old, lost_class(object, *old));
      case Part::status:
      case Part::approval:
        break;
    }
    return {};
  }

  k8s::StatusResult<void> check_update(const Dynamic&, const Dynamic& old, Part part,
                                       const WriteScope&) const override {
    if (part != Part::ephemeral_containers && part != Part::resize) return {};
    const std::string_view why = validation::refusal_of_part(old, part == Part::resize);
    if (why.empty()) return {};
    return std::unexpected(k8s::answer::invalid({"", "Pod"}, old.name(), {FieldError::forbidden("", why)}));
  }

  PodPlugins plugins_;
};

class NodeStrategy final : public Strategy {
 public:
  bool begins_with_status() const override { return true; }
  void prepare_for_create(Dynamic& object) const override {
    constexpr std::string_view not_ready = "node.kubernetes.io/not-ready";
    const bool has_it = std::ranges::any_of(object.items("spec.taints"), [&](const View& taint) {
      return taint.text("key") == not_ready && taint.text("effect") == "NoSchedule";
    });
    if (!has_it)
      object.array("spec.taints").push_back(json::Object{{"effect", "NoSchedule"}, {"key", not_ready}});
  }
};

}  // namespace

std::shared_ptr<const Strategy> pod_strategy(const PodPlugins& plugins) {
  return std::make_shared<PodStrategy>(plugins);
}

std::shared_ptr<const Strategy> node_strategy() {
  return std::make_shared<NodeStrategy>();
}

}  // namespace fairway::apiserver::resources
