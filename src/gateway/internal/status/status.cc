// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/status.h"

#include <algorithm>
#include <set>

#include "gateway/internal/objects/api.h"
#include "gateway/internal/status/features.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

/// Greatest lengths of these lists in the API's schema: a status with a longer one cannot be written.
constexpr std::size_t most_parents = 32, most_ancestors = 16;

bool is_newer(const Dynamic& object, const View& entry) {
  return std::ranges::any_of(entry.items<k8s::Condition>("conditions"), [&](const k8s::Condition& condition) {
    return condition.observed_generation().value_or(0) > object.generation();
  });
}

json::Array kinds_of(const ListenerReport& report) {
  json::Array kinds;
  for (const RouteKind kind : report.kinds) {
    json::Object one;
    one["group"] = gateway_group;
    one["kind"] = to_string(kind);
    kinds.push_back(std::move(one));
  }
  return kinds;
}

json::Array features() {
  json::Array list;
  for (const std::string_view name : supported_features()) list.push_back(json::Object{{"name", name}});
  return list;
}

void write_listeners(Dynamic& object, const std::vector<ListenerReport>& reports, const Clock& clock) {
  const json::Array before = object.array("status.listeners");
  const auto find = [&](std::string_view name) {
    return std::ranges::find_if(before, [&](const json::Value& value) {
      return value.is_object() && View(value.get_object()).text("name") == name;
    });
  };
  json::Array& list = object.array("status.listeners");
  list.clear();
  std::set<std::string_view> written;
  for (const ListenerReport& report : reports) {
    // The name is the list's key: of two listeners with one name only the first has a status.
    if (!written.insert(report.name).second) continue;
    const auto there = find(report.name);
    json::Object entry;
    if (there != before.end()) {
      entry = there->get_object();
    } else {
      entry["name"] = report.name;
    }
    if (!is_newer(object, View(entry))) {
      entry["supportedKinds"] = kinds_of(report);
      entry["attachedRoutes"] = report.attached;
    }
    object.array("status.listeners").push_back(std::move(entry));
    const std::size_t index = object.array("status.listeners").size() - 1;
    k8s::Conditions conditions(object, "status.listeners", index, conditions_of(Level::listener), clock);
    report.verdicts.write(conditions);
  }
  for (const json::Value& value : before) {
    // Of a listener that only a newer generation has.
    const bool is_kept = value.is_object() && is_newer(object, View(value.get_object())) &&
                         !written.contains(View(value.get_object()).text("name"));
    if (is_kept) object.array("status.listeners").push_back(value);
  }
}

void write_entries(Dynamic& object, const std::string& path, const std::string& ref,
                   const std::vector<EntryReport>& reports, std::size_t most, const Clock& clock) {
  const auto is_ours = [](const json::Value& value) {
    return value.is_object() && View(value.get_object()).text("controllerName") == controller_name;
  };
  const json::Value* there = object.find(path);
  const json::Array before = there != nullptr && there->is_array() ? there->get_array() : json::Array{};
  if (reports.empty() && std::ranges::none_of(before, is_ours)) return;
  const std::string local(object.namespace_name());
  std::vector<bool> is_written(reports.size(), false);
  object.array(path).clear();
  const auto append = [&](json::Value entry, const EntryReport& report) {
    object.array(path).push_back(std::move(entry));
    const std::size_t index = object.array(path).size() - 1;
    k8s::Conditions conditions(object, path, index, conditions_of(report.verdicts.level()), clock);
    report.verdicts.write(conditions);
  };
  // Entries keep their places.
  for (const json::Value& value : before) {
    if (!is_ours(value)) {
      object.array(path).push_back(value);
      continue;
    }
    const View entry(value.get_object());
    bool is_asked_for = false;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      if (is_written[i] || !same_ref(entry.at(ref), View(reports[i].ref), local)) continue;
      is_asked_for = is_written[i] = true;
      append(value, reports[i]);
      break;
    }
    if (!is_asked_for && is_newer(object, entry)) object.array(path).push_back(value);
  }
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (is_written[i] || object.array(path).size() >= most) continue;
    json::Object entry;
    entry[ref] = reports[i].ref;
    entry["controllerName"] = controller_name;
    append(std::move(entry), reports[i]);
  }
}

}  // namespace

bool same_ref(const View& a, const View& b, std::string_view local) {
  const ParentRef first(a.json()), second(b.json());
  return first.group() == second.group() && first.kind() == second.kind() &&
         first.namespace_name(local) == second.namespace_name(local) && first.name() == second.name() &&
         first.section() == second.section() && first.port() == second.port();
}

bool is_written(const Report& report, const Clock& clock) {
  // A status is made of itself, the name and the generation. The rest is most of the object, and is not
  // copied.
  Dynamic object;
  json::Object metadata;
  for (const char* name : {"namespace", "name", "generation"}) {
    if (const json::Value* value = report.object->find(std::string("metadata.") + name))
      metadata[name] = *value;
  }
  object.set("metadata", std::move(metadata));
  const json::Value* status = report.object->find("status");
  if (status != nullptr) object.set("status", *status);
  Report of_part = report;
  of_part.object = &object;
  const Dynamic now = with_status(of_part, clock);
  const json::Value* said = now.find("status");
  return said == nullptr || status == nullptr ? said == status : *said == *status;
}

Dynamic with_status(const Report& report, const Clock& clock) {
  Dynamic object = *report.object;
  if (report.own) {
    k8s::Conditions conditions(object, conditions_of(report.own->level()), clock);
    const bool is_outdated = conditions.is_outdated();
    report.own->write(conditions);
    if (report.attached_sets && !is_outdated)
      object.set("status.attachedListenerSets", json::Value(*report.attached_sets));
    if (report.has_features && !is_outdated) object.set("status.supportedFeatures", features());
    if (report.addresses && !is_outdated) object.set("status.addresses", json::Value(*report.addresses));
  }
  if (report.listeners) write_listeners(object, *report.listeners, clock);
  if (report.parents)
    write_entries(object, "status.parents", "parentRef", *report.parents, most_parents, clock);
  if (report.ancestors)
    write_entries(object, "status.ancestors", "ancestorRef", *report.ancestors, most_ancestors, clock);
  return object;
}

}  // namespace fairway::gateway
