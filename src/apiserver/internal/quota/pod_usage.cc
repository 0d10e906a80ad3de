// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/quota/pod_usage.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace fairway::apiserver::quota {
namespace {

constexpr std::string_view requests_prefix = "requests.", hugepages_prefix = "hugepages-",
                           device_class_prefix = "deviceclass.resource.kubernetes.io/";

/// Returns whether Kubernetes itself gives a resource of containers its meaning.
bool is_native(std::string_view name) {
  return !name.contains('/') || name.contains("kubernetes.io/");
}

/// Returns whether a resource of containers is an extended one, such as "example.com/gpu".
bool is_extended(std::string_view name) {
  return (!is_native(name) && !name.starts_with(requests_prefix)) || name.starts_with(device_class_prefix);
}

/// Returns whether a resource may be set for a Pod as a whole.
bool is_of_whole_pod(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with(hugepages_prefix);
}

void raise(Amounts& amounts, const Amounts& others) {
  for (const auto& [name, amount] : others) {
    const auto [found, is_new] = amounts.emplace(name, amount);
    if (!is_new && found->second < amount) found->second = amount;
  }
}

/// The statuses of containers by their names, as far as they count: while a Pod is being resized, it uses the
/// larger of what it has and what it is to have.
std::map<std::string_view, k8s::View> statuses_of(const k8s::View& pod) {
  std::map<std::string_view, k8s::View> statuses;
  for (const k8s::View& condition : pod.items("status.conditions")) {
    if (condition.text("type") == "PodResizePending" && condition.text("reason") == "Infeasible")
      return statuses;
  }
  for (const std::string_view list : {"status.containerStatuses", "status.initContainerStatuses"}) {
    for (const k8s::View& status : pod.items(list)) statuses.emplace(status.text("name"), status);
  }
  return statuses;
}

std::string path_of(std::string_view list) {
  return "resources." + std::string(list);
}

/// Returns the sum over containers, of each of which `amounts_of` says what it takes.
Amounts sum_by(const k8s::View& pod, const std::function<Amounts(const k8s::View& container)>& amounts_of) {
  Amounts sum, restarting, most;
  for (const k8s::View& container : pod.items("spec.containers")) add(sum, amounts_of(container));
  for (const k8s::View& container : pod.items("spec.initContainers")) {
    const Amounts amounts = amounts_of(container);
    if (container.text("restartPolicy") == "Always") {
      add(sum, amounts);
      add(restarting, amounts);
      raise(most, restarting);
    } else {
      Amounts at_once = restarting;
      add(at_once, amounts);
      raise(most, at_once);
    }
  }
  raise(sum, most);
  return sum;
}

/// Returns the sum of what containers name in `list`, or have already, with what the Pod itself takes.
Amounts sum_of(const k8s::View& pod, std::string_view list) {
  const bool is_request = list == "requests";
  const std::string path = path_of(list);
  const auto statuses = statuses_of(pod);
  Amounts sum = sum_by(pod, [&](const k8s::View& container) {
    Amounts amounts = read_amounts(container.find(path));
    const auto status = statuses.find(container.text("name"));
    if (status != statuses.end()) {
      raise(amounts, read_amounts(status->second.find(path)));
      if (is_request) raise(amounts, read_amounts(status->second.find("allocatedResources")));
    }
    return amounts;
  });
  for (const auto& [name, amount] : read_amounts(pod.find("spec." + path)))
    if (is_of_whole_pod(name)) sum[name] = amount;
  for (const auto& [name, amount] : read_amounts(pod.find("spec.overhead"))) {
    if (is_request || (sum.contains(name) && !sum[name].is_zero())) sum[name] += amount;
  }
  return sum;
}

/// Returns what requests and limits come to by the names of quotas.
Amounts named_usage(const Amounts& requests, const Amounts& limits) {
  Amounts usage{{"pods", Amount::of(1)}};
  for (const std::string name : {"cpu", "memory", "ephemeral-storage"}) {
    if (const auto request = requests.find(name); request != requests.end())
      usage[name] = usage["requests." + name] = request->second;
    if (const auto limit = limits.find(name); limit != limits.end()) usage["limits." + name] = limit->second;
  }
  for (const auto& [name, request] : requests) {
    if (name.starts_with(hugepages_prefix)) usage[name] = usage["requests." + name] = request;
    if (is_extended(name)) usage["requests." + name] = request;
  }
  return usage;
}

/// Returns whether a Pod takes more than its place in the storage.
bool is_live(const k8s::View& pod, WallTime now) {
  const std::string_view phase = pod.text("status.phase");
  if (phase == "Failed" || phase == "Succeeded") return false;
  const auto deleted = pod.find_time("metadata.deletionTimestamp");
  const auto grace = pod.find_integer("metadata.deletionGracePeriodSeconds");
  return !deleted || !grace || now <= *deleted + std::chrono::seconds(*grace);
}

}  // namespace

bool counts_pods(std::string_view name) {
  constexpr std::array names{"count/pods",
                             "pods",
                             "cpu",
                             "memory",
                             "ephemeral-storage",
                             "requests.cpu",
                             "requests.memory",
                             "requests.ephemeral-storage",
                             "limits.cpu",
                             "limits.memory",
                             "limits.ephemeral-storage"};
  if (std::ranges::find(names, name) != names.end() || name.starts_with(hugepages_prefix)) return true;
  if (!name.starts_with(requests_prefix)) return false;
  const std::string_view of_container = name.substr(requests_prefix.size());
  return of_container.starts_with(hugepages_prefix) || of_container.starts_with(device_class_prefix) ||
         !is_native(name);
}

Amounts pod_usage(const k8s::View& pod, WallTime now) {
  Amounts usage;
  if (is_live(pod, now)) usage = named_usage(sum_of(pod, "requests"), sum_of(pod, "limits"));
  usage["count/pods"] = Amount::of(1);
  return usage;
}

Amounts sum_of_pod(const k8s::View& pod, std::string_view list) {
  const std::string path = path_of(list);
  Amounts sum = sum_by(pod, [&](const k8s::View& container) { return read_amounts(container.find(path)); });
  for (const auto& [name, amount] : read_amounts(pod.find("spec." + path)))
    if (name == "cpu" || name == "memory") sum[name] = amount;
  return sum;
}

std::optional<std::string> missing_in_pod(const k8s::View& pod, const std::set<std::string>& required) {
  for (const std::string_view list : {"spec.resources.requests", "spec.resources.limits"}) {
    const Amounts of_pod = read_amounts(pod.find(list));
    if (std::ranges::any_of(of_pod, [](const auto& one) { return is_of_whole_pod(one.first); }))
      return std::nullopt;
  }
  std::map<std::string, std::set<std::string>> missing;
  for (const std::string_view list : {"spec.containers", "spec.initContainers"}) {
    for (const k8s::View& container : pod.items(list)) {
      const Amounts named = named_usage(read_amounts(container.find("resources.requests")),
                                        read_amounts(container.find("resources.limits")));
      for (const char* name :
           {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}) {
        if (required.contains(name) && !named.contains(name)) missing[name].emplace(container.text("name"));
      }
    }
  }
  if (missing.empty()) return std::nullopt;
  std::string text;
  for (const auto& [name, containers] : missing) {
    text += (text.empty() ? "must specify " : "; ") + name + " for: ";
    bool is_first = true;
    for (const std::string& container : containers)
      text += (std::exchange(is_first, false) ? "" : ",") + container;
  }
  return text;
}

}  // namespace fairway::apiserver::quota
