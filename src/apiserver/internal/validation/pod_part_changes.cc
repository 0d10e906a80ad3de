// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/pod_part_changes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/validation/pods.h"
#include "k8s/equality.h"

namespace fairway::apiserver::validation {
namespace {

using k8s::FieldError;
using k8s::View;

constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";
constexpr std::array<std::string_view, 2> lists{"requests", "limits"}, resizable{"cpu", "memory"};

bool same(const json::Value* a, const json::Value* b) {
  return k8s::equal_with_null_as_absent(a, b);
}

bool is_static(const View& pod) {
  return pod.map("metadata.annotations").find(mirror_annotation).has_value();
}

/// Returns whether the node of a Pod can resize it: it reports the resources of a container that runs.
bool is_resizable(const View& pod) {
  for (const View& status : pod.items("status.containerStatuses")) {
    if (status.find("state.running") != nullptr) return status.find("resources") != nullptr;
  }
  return true;
}

/// Reports requests and limits that are gone.
void check_kept(std::vector<FieldError>& errors, const View& resources, const View& old,
                const std::string& path, std::string_view what) {
  for (const std::string_view list : lists) {
    const k8s::StringMap now = resources.map(list);
    for (const auto& [name, value] : old.map(list)) {
      if (now.find(name)) continue;
      const std::string kind(list);
      errors.push_back(FieldError::forbidden(path + "." + kind,
                                             std::string(what) + "resource " + kind + " cannot be removed"));
      break;
    }
  }
}

/// Returns whether two sets of resources are equal but for processor and memory.
bool differ_in_cpu_and_memory_alone(const View& now, const View& old) {
  for (const std::string_view list : lists) {
    const k8s::StringMap mine = now.map(list), former = old.map(list);
    const auto is_free = [](std::string_view name) { return name == resizable[0] || name == resizable[1]; };
    for (const auto& [name, value] : mine) {
      if (!is_free(name) && former.find(name) != std::optional(value)) return false;
    }
    for (const auto& [name, value] : former) {
      if (!is_free(name) && !mine.find(name)) return false;
    }
  }
  return true;
}

/// Returns whether a container has changed in nothing but its processor and memory. None with claims may
/// change, as Kubernetes compares them with none.
bool is_resized_alone(const View& now, const View& old) {
  json::Object rest = now.json(), former = old.json();
  rest.erase("resources");
  former.erase("resources");
  const json::Value left(std::move(rest)), right(std::move(former));
  return same(&left, &right) && old.find("resources.claims") == nullptr &&
         differ_in_cpu_and_memory_alone(now.at("resources"), old.at("resources"));
}

/// Reports containers that have come, gone or changed places. Returns whether there are none.
bool check_order(std::vector<FieldError>& errors, const View& pod, const View& old, const std::string& list) {
  const auto now = pod.items("spec." + list), before = old.items("spec." + list);
  if (now.size() != before.size()) {
    errors.push_back(FieldError::forbidden("spec." + list, list + " may not be added or removed on resize"));
    return false;
  }
  bool kept = true;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].text("name") == before[i].text("name")) continue;
    kept = false;
    errors.push_back(FieldError::forbidden("spec." + list + "[" + std::to_string(i) + "].name",
                                           list + " may not be renamed or reordered on resize"));
  }
  return kept;
}

bool restarts_on_resize(const View& container) {
  for (const View& policy : container.items("resizePolicy")) {
    if (policy.text("restartPolicy") == "RestartContainer") return true;
  }
  return false;
}

void check_pod_resources(std::vector<FieldError>& errors, const View& pod, const View& old) {
  const json::Value *now = pod.find("spec.resources"), *before = old.find("spec.resources");
  if (before != nullptr && now == nullptr) {
    errors.push_back(FieldError::forbidden("spec.resources", "pod-level resources cannot be removed"));
    return;
  }
  if (before != nullptr)
    check_kept(errors, pod.at("spec.resources"), old.at("spec.resources"), "spec.resources", "pod-level ");
  if (!differ_in_cpu_and_memory_alone(pod.at("spec.resources"), old.at("spec.resources")))
    errors.push_back(FieldError::forbidden("spec", "only cpu and memory resources are mutable at pod-level"));
}

/// Reports changes of containers that a resize cannot make.
void check_containers(std::vector<FieldError>& errors, const View& pod, const View& old,
                      const std::string& list) {
  const auto now = pod.items("spec." + list), before = old.items("spec." + list);
  const bool is_init = list == "initContainers";
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string path = "spec." + list + "[" + std::to_string(i) + "]";
    if (!is_resized_alone(now[i], before[i])) {
      errors.push_back(
          is_init ? FieldError::forbidden(path,
                                          "only cpu and memory resources for init or sidecar containers "
                                          "are mutable")
                  : FieldError::forbidden("spec", "only cpu and memory resources are mutable"));
    }
    const bool changed = !same(now[i].find("resources"), before[i].find("resources"));
    if (is_init && changed && now[i].text("restartPolicy") != "Always" && restarts_on_resize(now[i])) {
      errors.push_back(FieldError::forbidden(path,
                                             "non-sidecar init containers with a resize policy of "
                                             "RestartContainer cannot be resized"));
    }
  }
}

}  // namespace

std::string_view refusal_of_part(const View& pod, bool is_resize) {
  if (is_static(pod))
    return is_resize ? "static pods cannot be resized" : "static pods do not support ephemeral containers";
  if (is_resize && pod.text("spec.os.name") == "windows") return "windows pods cannot be resized";
  return "";
}

std::vector<FieldError> check_ephemeral_containers(const View& pod, const View& old) {
  std::vector<FieldError> errors = check_pod_values(pod, old);
  const auto now = pod.items("spec.ephemeralContainers");
  for (const View& former : old.items("spec.ephemeralContainers")) {
    const std::string_view name = former.text("name");
    const auto found =
        std::find_if(now.begin(), now.end(), [&](const View& one) { return one.text("name") == name; });
    const std::string which = "existing ephemeral containers \"" + std::string(name) + "\" may not be ";
    if (found == now.end()) {
      errors.push_back(FieldError::forbidden("spec.ephemeralContainers", which + "removed\n"));
    } else if (!k8s::equal_with_null_as_absent(json::Value(found->json()), json::Value(former.json()))) {
      errors.push_back(FieldError::forbidden("spec.ephemeralContainers", which + "changed\n"));
    }
  }
  return errors;
}

std::vector<FieldError> check_resize(const View& pod, const View& old, std::string_view lost_class) {
  std::vector<FieldError> errors = check_pod_values(pod, old);
  if (!lost_class.empty()) {
    errors.push_back(FieldError::invalid("spec", json::Value(lost_class),
                                         "Pod QOS Class may not change as a result of resizing"));
  }
  if (!is_resizable(old))
    errors.push_back(FieldError::forbidden("spec", "Pod running on node without support for resize"));
  check_pod_resources(errors, pod, old);
  const bool containers_kept = check_order(errors, pod, old, "containers");
  const bool init_kept = check_order(errors, pod, old, "initContainers");
  if (!containers_kept || !init_kept) return errors;
  for (const std::string list : {"initContainers", "containers"}) {
    const auto now = pod.items("spec." + list), before = old.items("spec." + list);
    for (std::size_t i = 0; i < now.size(); ++i)
      check_kept(errors, now[i].at("resources"), before[i].at("resources"),
                 "spec." + list + "[" + std::to_string(i) + "].resources", "");
  }
  check_containers(errors, pod, old, "containers");
  check_containers(errors, pod, old, "initContainers");
  return errors;
}

}  // namespace fairway::apiserver::validation
