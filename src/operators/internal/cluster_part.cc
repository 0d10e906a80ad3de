// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/cluster_part.h"

#include <algorithm>
#include <vector>

#include "base/redact.h"

namespace fairway::operators {
namespace {

/// Adds a text that is not empty.
void add(json::Object& to, const char* key, std::string_view text) {
  if (!text.empty()) to[key] = text;
}

/// Adds a time that can be read.
void add_time(json::Object& to, const char* key, const k8s::View& from, const char* path) {
  if (const auto time = from.find_time(path)) to[key] = format_time(*time);
}

json::Array texts(const std::vector<std::string_view>& all) {
  return json::Array(all.begin(), all.end());
}

json::Object release(const openshift::ReleaseView& view) {
  json::Object one{{"version", view.version()}, {"image", view.image()}};
  add(one, "url", view.url());
  if (const auto channels = view.channels(); !channels.empty()) one["channels"] = texts(channels);
  return one;
}

json::Object condition(const k8s::Condition& view) {
  json::Object one{{"type", view.type()},
                   {"status", to_string(view.status())},
                   {"reason", view.reason()},
                   {"message", view.message()}};
  add_time(one, "since", view, "lastTransitionTime");
  return one;
}

json::Object conditional(const openshift::ConditionalUpdate& update) {
  json::Object one = release(update.release());
  if (const auto recommended = update.condition("Recommended")) one["recommended"] = condition(*recommended);
  json::Array& risks = one["risks"].emplace_array();
  for (const k8s::View& risk : update.risks()) risks.emplace_back(risk.text("name"));
  return one;
}

json::Object entry(const openshift::UpdateHistory& view) {
  json::Object one{{"state", view.text("state")},
                   {"version", view.version()},
                   {"image", view.image()},
                   {"verified", view.flag("verified")}};
  add_time(one, "started", view, "startedTime");
  add_time(one, "completed", view, "completionTime");
  add(one, "acceptedRisks", view.text("acceptedRisks"));
  return one;
}

json::Object desired_update(const k8s::View& view) {
  json::Object one;
  for (const char* key : {"version", "image", "architecture"}) add(one, key, view.text(key));
  one["force"] = view.flag("force");
  json::Array& accepted = one["acceptRisks"].emplace_array();
  for (const k8s::View& risk : view.items("acceptRisks")) accepted.emplace_back(risk.text("name"));
  return one;
}

bool is_completed(const Migration& migration) {
  const auto completed = k8s::find_condition(migration, "Completed");
  return completed && completed->is_true();
}

json::Object migration(const Migration& object) {
  json::Object one{{"name", object.name()},
                   {"namespace", object.namespace_name()},
                   {"group", object.text("spec.group")},
                   {"kind", object.text("spec.kind")},
                   {"from", object.text("spec.oldVersion")},
                   {"to", object.text("spec.newVersion")},
                   {"dryRun", object.flag("spec.dryRun")},
                   {"completed", is_completed(object)}};
  // Counts of an earlier generation are of another request.
  if (object.integer("status.observedGeneration", -1) == object.generation()) {
    one["done"] = object.integer("status.objectsDone");
    if (const auto total = object.find_integer("status.objectsTotal")) one["total"] = *total;
    std::int64_t left_out = 0;
    for (const k8s::View& kind : object.items("status.kinds")) {
      left_out += kind.integer("objectsLeftOut");
      if (kind.has("waitingSince")) {
        add_time(one, "waitingSince", kind, "waitingSince");
        add(one, "waitingFor", kind.text("waitingFor"));
      }
    }
    one["leftOut"] = left_out;
    add(one, "lastError", object.text("status.lastError"));
  }
  json::Array& conditions = one["conditions"].emplace_array();
  for (const k8s::Condition& each : object.items<k8s::Condition>("status.conditions"))
    conditions.push_back(condition(each));
  return one;
}

}  // namespace

json::Object cluster_part(const openshift::ClusterVersion* cluster, std::string_view upstream) {
  if (cluster == nullptr) return {{"found", false}};
  json::Object part = release(cluster->desired());
  part["found"] = true;
  add(part, "channel", cluster->channel());
  add(part, "upstream", redact_urls(upstream.empty() ? cluster->upstream() : upstream));
  part["upstreamSetBy"] = upstream.empty() ? "ClusterVersion" : "operator";
  part["current"] = cluster->integer("status.observedGeneration", -1) == cluster->generation();
  if (cluster->has_desired_update()) part["desiredUpdate"] = desired_update(cluster->desired_update());
  json::Array& available = part["available"].emplace_array();
  for (const openshift::ReleaseView& update : cluster->available_updates())
    available.push_back(release(update));
  json::Array& with_risks = part["conditional"].emplace_array();
  for (const openshift::ConditionalUpdate& update : cluster->conditional_updates())
    with_risks.push_back(conditional(update));
  json::Array& conditions = part["conditions"].emplace_array();
  for (const k8s::Condition& each : cluster->items<k8s::Condition>("status.conditions"))
    conditions.push_back(condition(each));
  json::Array& history = part["history"].emplace_array();
  for (const openshift::UpdateHistory& each : cluster->history()) history.push_back(entry(each));
  return part;
}

json::Object migrations_part(std::span<const std::shared_ptr<const Migration>> migrations) {
  std::vector<const Migration*> order;
  order.reserve(migrations.size());
  for (const auto& one : migrations) order.push_back(one.get());
  std::ranges::sort(order, {},
                    [](const Migration* one) { return std::pair(is_completed(*one), one->key()); });
  const std::size_t shown = std::min(order.size(), max_shown_migrations);
  json::Object part;
  json::Array& list = part["migrations"].emplace_array();
  for (std::size_t i = 0; i < shown; ++i) list.push_back(migration(*order[i]));
  part["leftOut"] = order.size() - shown;
  return part;
}

}  // namespace fairway::operators
