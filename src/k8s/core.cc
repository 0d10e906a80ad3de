// SPDX-License-Identifier: Apache-2.0

#include "k8s/core.h"

#include "base/base64.h"

namespace fairway::k8s {

std::optional<std::string> Secret::data(std::string_view key) const {
  const auto text = map("data").find(key);
  return text ? base64_decode(*text) : std::nullopt;
}

void Secret::set_data(std::string_view key, std::string_view bytes) {
  set_entry("data", key, base64_encode(bytes));
}

void Event::set_involved_object(const Dynamic& object) {
  Editor reference = edit("involvedObject");
  reference.set("apiVersion", object.api_version());
  reference.set("kind", object.kind());
  reference.set("name", object.name());
  if (!object.namespace_name().empty()) reference.set("namespace", object.namespace_name());
  if (!object.uid().empty()) reference.set("uid", object.uid());
  if (!object.resource_version().empty()) reference.set("resourceVersion", object.resource_version());
}

void Event::set_component(std::string_view component, std::string_view instance) {
  set("source.component", component);
  set("reportingComponent", component);
  set("reportingInstance", instance);
}

void Event::set_times(std::int64_t count, WallTime first, WallTime last) {
  set("count", count);
  set_time("firstTimestamp", first);
  set_time("lastTimestamp", last);
}

}  // namespace fairway::k8s
