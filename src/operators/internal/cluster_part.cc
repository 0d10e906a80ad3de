// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/cluster_part.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/cut_text.h"
#include "base/redact_url.h"
#include "operators/internal/bounded_list.h"

namespace fairway::operators {
namespace {

std::string name_of(std::string_view text) {
  return cut_text(text, max_name);
}

/// Adds a text that is not empty.
void add(json::Object& to, const char* key, std::string_view text, std::size_t limit = max_name) {
  if (!text.empty()) to[key] = cut_text(text, limit);
}

/// Adds a time that can be read.
void add_time(json::Object& to, const char* key, const k8s::View& from, const char* path) {
  if (const auto time = from.find_time(path)) to[key] = format_time(*time);
}

json::Object release(const openshift::ReleaseView& view, std::size_t& left_out) {
  json::Object one{{"version", name_of(view.version())}, {"image", name_of(view.image())}};
  add(one, "url", view.url(), max_message);
  if (const auto channels = view.channels(); !channels.empty())
    one["channels"] = bounded_list(channels, name_of, max_inner_list_bytes, left_out);
  return one;
}

/// Returns the names of risks.
json::Array names_of(const std::vector<k8s::View>& risks, std::size_t& left_out) {
  return bounded_list(
      risks, [](const k8s::View& risk) { return name_of(risk.text("name")); }, max_inner_list_bytes,
      left_out);
}

json::Object condition(const k8s::Condition& view) {
  json::Object one{{"type", name_of(view.type())},
                   {"status", to_string(view.status())},
                   {"reason", name_of(view.reason())},
                   {"message", cut_text(view.message(), max_message)}};
  add_time(one, "since", view, "lastTransitionTime");
  return one;
}

json::Object conditional(const openshift::ConditionalUpdate& update, std::size_t& left_out) {
  json::Object one = release(update.release(), left_out);
  if (const auto recommended = update.condition("Recommended")) one["recommended"] = condition(*recommended);
  one["risks"] = names_of(update.risks(), left_out);
  return one;
}

json::Object entry(const openshift::UpdateHistory& view) {
  json::Object one{{"state", name_of(view.text("state"))},
                   {"version", name_of(view.version())},
                   {"image", name_of(view.image())},
                   {"verified", view.flag("verified")}};
  add_time(one, "started", view, "startedTime");
  add_time(one, "completed", view, "completionTime");
  add(one, "acceptedRisks", view.text("acceptedRisks"), max_message);
  return one;
}

json::Object desired_update(const k8s::View& view, std::size_t& left_out) {
  json::Object one;
  for (const char* key : {"version", "image", "architecture"}) add(one, key, view.text(key));
  one["force"] = view.flag("force");
  one["acceptRisks"] = names_of(view.items("acceptRisks"), left_out);
  return one;
}

/// Returns a count of a status, which somebody may have made negative.
std::int64_t count_of(std::int64_t count) {
  return std::max<std::int64_t>(count, 0);
}

/// Returns the sum of two counts; the largest number, where it is beyond it.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return b > most - a ? most : a + b;
}

bool is_completed(const Migration& migration) {
  const auto completed = k8s::find_condition(migration, "Completed");
  return completed && completed->is_true();
}

json::Object migration(const Migration& object) {
  json::Object one{{"name", name_of(object.name())},
                   {"namespace", name_of(object.namespace_name())},
                   {"group", name_of(object.text("spec.group"))},
                   {"kind", name_of(object.text("spec.kind"))},
                   {"from", name_of(object.text("spec.oldVersion"))},
                   {"to", name_of(object.text("spec.newVersion"))},
                   {"dryRun", object.flag("spec.dryRun")},
                   {"completed", is_completed(object)}};
  // Counts of an earlier generation are of another request.
  if (object.integer("status.observedGeneration", -1) == object.generation()) {
    one["done"] = count_of(object.integer("status.objectsDone"));
    if (const auto total = object.find_integer("status.objectsTotal")) one["total"] = count_of(*total);
    std::int64_t left_out = 0;
    for (const k8s::View& kind : object.items("status.kinds")) {
      left_out = sum_of(left_out, count_of(kind.integer("objectsLeftOut")));
      if (kind.has("waitingSince")) {
        add_time(one, "waitingSince", kind, "waitingSince");
        add(one, "waitingFor", kind.text("waitingFor"), max_message);
      }
    }
    one["leftOut"] = left_out;
    add(one, "lastError", object.text("status.lastError"), max_message);
  }
  // There are two; what somebody has added beyond the size says nothing of the migration.
  std::size_t others = 0;
  one["conditions"] = bounded_list(object.items<k8s::Condition>("status.conditions"), condition,
                                   max_inner_list_bytes, others);
  return one;
}

}  // namespace

json::Object cluster_part(const openshift::ClusterVersion* cluster, std::string_view upstream) {
  if (cluster == nullptr) return {{"found", false}};
  std::size_t left_out = 0;
  json::Object part = release(cluster->desired(), left_out);
  part["found"] = true;
  add(part, "channel", cluster->channel());
  add(part, "upstream", redact_url(upstream.empty() ? cluster->upstream() : upstream), max_message);
  part["upstreamSetBy"] = upstream.empty() ? "ClusterVersion" : "operator";
  part["current"] = cluster->integer("status.observedGeneration", -1) == cluster->generation();
  if (cluster->has_desired_update())
    part["desiredUpdate"] = desired_update(cluster->desired_update(), left_out);
  part["available"] = bounded_list(
      cluster->available_updates(), [&](const auto& update) { return release(update, left_out); },
      max_list_bytes, left_out);
  part["conditional"] = bounded_list(
      cluster->conditional_updates(), [&](const auto& update) { return conditional(update, left_out); },
      max_list_bytes, left_out);
  part["conditions"] =
      bounded_list(cluster->items<k8s::Condition>("status.conditions"), condition, max_list_bytes, left_out);
  part["history"] = bounded_list(cluster->history(), entry, max_list_bytes, left_out);
  part["leftOut"] = left_out;
  return part;
}

json::Object migrations_part(std::span<const std::shared_ptr<const Migration>> migrations) {
  std::vector<const Migration*> order;
  order.reserve(migrations.size());
  for (const auto& one : migrations) order.push_back(one.get());
  std::ranges::sort(order, {},
                    [](const Migration* one) { return std::pair(is_completed(*one), one->key()); });
  const std::size_t shown = std::min(order.size(), max_shown_migrations);
  std::size_t left_out = order.size() - shown;
  json::Object part;
  part["migrations"] = bounded_list(
      std::span(order).first(shown), [](const Migration* one) { return migration(*one); },
      max_migrations_bytes, left_out);
  part["leftOut"] = left_out;
  return part;
}

}  // namespace fairway::operators
