// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/limit_defaults.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/resources/stored_object.h"
#include "base/text.h"

namespace fairway::apiserver::resources {
namespace {

/// Sets the entries of `defaults` that a container's `list` ("resources.limits") lacks. Returns their names,
/// sorted.
std::vector<std::string> fill(k8s::Editor& container, std::string_view list, const k8s::StringMap& defaults) {
  std::vector<std::string> names;
  for (const auto& [name, quantity] : defaults) {
    if (container.map(list).find(name)) continue;
    container.set_entry(list, name, quantity);
    names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// Fills the containers of a Pod from one entry of a LimitRange. Appends what was set, as people read it.
void fill_all(k8s::Dynamic& pod, const k8s::View& item, std::vector<std::string>& notes) {
  struct List {
    std::string_view path, kind;
  };
  for (const List& list :
       {List{"spec.containers", "container"}, List{"spec.initContainers", "init container"}}) {
    for (k8s::Editor container : pod.edit_items(list.path)) {
      const std::string of = " for " + std::string(list.kind) + " " + std::string(container.text("name"));
      const auto limits = fill(container, "resources.limits", item.map("default"));
      const auto requests = fill(container, "resources.requests", item.map("defaultRequest"));
      if (!requests.empty()) notes.push_back(join(requests, ", ") + " request" + of);
      if (!limits.empty()) notes.push_back(join(limits, ", ") + " limit" + of);
    }
  }
}

}  // namespace

k8s::StatusResult<void> take_limit_defaults(storage::Storage& storage, k8s::Dynamic& pod) {
  const auto found =
      storage.list({.resource = "limitranges", .namespace_name = std::string(pod.namespace_name())});
  if (!found) return std::unexpected(status_of(found.error()));
  for (const storage::RecordPtr& record : found->records) {
    const k8s::Dynamic range = parse(*record);
    std::vector<std::string> notes;
    for (const k8s::View& item : range.items("spec.limits"))
      if (item.text("type") == "Container") fill_all(pod, item, notes);
    if (!notes.empty())
      pod.set_annotation("kubernetes.io/limit-ranger", "LimitRanger plugin set: " + join(notes, "; "));
  }
  return {};
}

}  // namespace fairway::apiserver::resources
