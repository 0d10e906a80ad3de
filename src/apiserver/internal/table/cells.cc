// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/table/cells.h"

#include <map>
#include <set>

#include "apiserver/internal/table/printer_column.h"
#include "base/text.h"
#include "k8s/label_selector.h"

namespace fairway::apiserver::table {
namespace {

std::string joined(const k8s::View& pod_spec, std::string_view member) {
  std::vector<std::string> texts;
  for (const k8s::View& container : pod_spec.items("containers")) texts.emplace_back(container.text(member));
  return join(texts, ",");
}

/// Returns a label selector as Go writes it: unlike in requests, a list of one value stays a list.
std::string written(const k8s::View& selector) {
  std::multimap<std::string, std::string> requirements;
  for (const auto& [key, value] : selector.map("matchLabels")) {
    requirements.emplace(key, std::string(key) + "=" + std::string(value));
  }
  for (const k8s::View& one : selector.items("matchExpressions")) {
    const std::string key(one.text("key"));
    const std::string_view op = one.text("operator");
    std::set<std::string> values;
    for (const std::string_view value : one.texts("values")) values.emplace(value);
    const std::string list = " (" + join({values.begin(), values.end()}, ",") + ")";
    requirements.emplace(key, op == "In"             ? key + " in" + list
                              : op == "NotIn"        ? key + " notin" + list
                              : op == "DoesNotExist" ? "!" + key
                                                     : key);
  }
  std::vector<std::string> texts;
  for (const auto& [key, text] : requirements) texts.push_back(text);
  return join(texts, ",");
}

}  // namespace

std::string age(const k8s::View& object, std::string_view path, WallTime now) {
  const auto time = object.find_time(path);
  if (!time) return "<unknown>";
  return human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - *time));
}

std::string age(const k8s::View& object, WallTime now) {
  return age(object, "metadata.creationTimestamp", now);
}

std::string_view name_of(const k8s::View& object) {
  return object.text("metadata.name");
}

std::string labels_text(const k8s::StringMap& labels) {
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [key, value] : labels) sorted.emplace(key, value);
  std::string text;
  for (const auto& [key, value] : sorted) {
    if (!text.empty()) text += ',';
    text.append(key).append("=").append(value);
  }
  return text.empty() ? "<none>" : text;
}

std::string selector_text(const k8s::View& object, std::string_view path) {
  if (!object.has(path)) return "<none>";
  const auto selector = k8s::LabelSelector::from(object.find(path));
  if (!selector) return "<error>";
  return selector->is_everything() ? "<none>" : written(object.at(path));
}

std::string container_names(const k8s::View& pod_spec) {
  return joined(pod_spec, "name");
}

std::string container_images(const k8s::View& pod_spec) {
  return joined(pod_spec, "image");
}

std::string text_or(const k8s::View& object, std::string_view path, std::string_view otherwise) {
  const std::string_view text = object.text(path);
  return std::string(text.empty() ? otherwise : text);
}

std::int64_t count(const k8s::View& object, std::string_view path) {
  const json::Value* value = object.find(path);
  if (value == nullptr) return 0;
  if (value->is_object()) return static_cast<std::int64_t>(value->get_object().size());
  return value->is_array() ? static_cast<std::int64_t>(value->get_array().size()) : 0;
}

std::string with_more(const std::vector<std::string>& shown, std::size_t left_out) {
  std::string text = join(shown, ",");
  if (left_out > 0) text += " + " + std::to_string(left_out) + " more...";
  return text;
}

std::string quantity_text(const k8s::View& object, std::string_view path, std::string_view key) {
  const k8s::View members = object.at(path);
  const json::Value* value = members.json().if_contains(key);
  if (value == nullptr || value->is_null()) return "0";
  return value->is_string() ? std::string(value->get_string()) : json::to_text(*value);
}

}  // namespace fairway::apiserver::table
