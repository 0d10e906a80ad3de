// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/served_definition.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/text.h"
#include "k8s/documents.h"
#include "operators/definitions.h"
#include "schema/field_path.h"
#include "schema/list_types.h"
#include "schema/prune.h"
#include "schema/schema.h"
#include "schema/validator.h"

namespace fairway::operators {
namespace {

/// The lists below `status.capabilities`.
constexpr const char* capability_lists[] = {"enabledCapabilities", "knownCapabilities"};

const json::Object* status_schema(const json::Object& definition) {
  const json::Value* versions = json::find(json::Value(definition), "spec") == nullptr
                                    ? nullptr
                                    : json::find(definition.at("spec"), "versions");
  if (versions == nullptr || !versions->is_array()) return nullptr;
  for (const json::Value& version : versions->get_array()) {
    if (json::find_string(version, "name") != "v1") continue;
    const json::Value* outer = json::find(version, "schema");
    const json::Value* whole = outer == nullptr ? nullptr : json::find(*outer, "openAPIV3Schema");
    return whole == nullptr || !whole->is_object() ? nullptr
                                                   : schema::member_schema(whole->get_object(), "status");
  }
  return nullptr;
}

/// A part of the schema, with its validator.
struct Part {
  const json::Object* schema;
  schema::Validator validator;
  explicit Part(const json::Object& of) : schema(&of), validator(of) {}

  std::string refusal(json::Value& value) const {
    schema::prune_part(value, *schema);
    const schema::Violations wrong = validator.validate(value);
    if (!wrong.empty()) return wrong.front().to_string();
    if (!value.is_object()) return "";
    const schema::Violations twice = schema::check_list_types(value.get_object(), *schema);
    return twice.empty() ? "" : twice.front().to_string();
  }
};

const json::Object* below(const json::Object* schema, std::string_view member) {
  return schema == nullptr ? nullptr : schema::member_schema(*schema, member);
}
const json::Object* items_of(const json::Object* schema, std::string_view member) {
  const json::Object* list = below(schema, member);
  return list == nullptr ? nullptr : schema::item_schema(*list);
}

/// Returns the name of an item of a list that outlasts a change of its place; std::nullopt: it has none.
std::optional<std::string> name_of_item(std::string_view list, const json::Value& item) {
  const auto text = [&](const json::Value& of, std::string_view key) {
    return std::string(json::find_string(of, key).value_or(""));
  };
  const std::string prefix = std::string(list) + "\n";
  if (item.is_string()) return prefix + std::string(item.get_string());
  if (list == available_list) return prefix + text(item, "version") + "\n" + text(item, "image");
  if (list == conditional_list) {
    const json::Value* release = json::find(item, "release");
    if (release != nullptr) return prefix + text(*release, "version") + "\n" + text(*release, "image");
  }
  if (list == risk_list) return prefix + text(item, "name");
  return std::nullopt;
}

/// Returns what a refused field is a part of, in the form of `refused_`: an update, a release, a risk or an
/// entry of a list of capabilities, or a whole list of the first three. std::nullopt: what may not be left
/// out.
std::optional<std::string> part_of(const json::Value& status, std::span<const schema::PathStep> path) {
  std::string list;
  const json::Value* value = &status;
  for (const schema::PathStep& step : path) {
    const auto* member = std::get_if<std::string>(&step);
    value = schema::follow(*value, step);
    if (value == nullptr) return std::nullopt;
    if (member == nullptr) break;
    list += (list.empty() ? "" : ".") + *member;
  }
  const bool is_item = std::ranges::any_of(
      path, [](const schema::PathStep& step) { return !std::holds_alternative<std::string>(step); });
  if (list == available_list || list == conditional_list || list == risk_list)
    return is_item ? name_of_item(list, *value) : std::optional(list);
  const bool is_capability = is_item && std::ranges::any_of(capability_lists, [&](const char* one) {
                               return list == "capabilities." + std::string(one);
                             });
  return is_capability ? name_of_item(list, *value) : std::nullopt;
}

}  // namespace

struct ServedDefinition::Schema {
  std::string resource_version;
  json::Object definition;
  const json::Object* status = nullptr;
  std::optional<Part> rule, url;
  std::map<std::string, Part, std::less<>> items;  ///< items of the lists of updates and of capabilities
};

std::shared_ptr<const ServedDefinition> ServedDefinition::read(const json::Object& definition) {
  auto schema = std::make_shared<Schema>();
  schema->definition = definition;
  schema->status = status_schema(schema->definition);
  if (schema->status == nullptr) return nullptr;
  if (const json::Value* metadata = schema->definition.if_contains("metadata"))
    schema->resource_version = json::find_string(*metadata, "resourceVersion").value_or("");
  for (const char* list : {available_list, conditional_list, risk_list}) {
    if (const json::Object* items = items_of(schema->status, list)) schema->items.try_emplace(list, *items);
  }
  for (const char* list : capability_lists) {
    if (const json::Object* items = items_of(below(schema->status, "capabilities"), list))
      schema->items.try_emplace("capabilities." + std::string(list), *items);
  }
  const json::Object* risk = items_of(items_of(schema->status, conditional_list), "risks");
  if (const json::Object* rule = items_of(risk, "matchingRules")) schema->rule.emplace(*rule);
  if (const json::Object* url = below(risk, "url")) schema->url.emplace(*url);
  auto made = std::make_shared<ServedDefinition>();
  made->schema_ = std::move(schema);
  return made;
}

const std::shared_ptr<const ServedDefinition>& ServedDefinition::own() {
  static const std::shared_ptr<const ServedDefinition> one = [] {
    std::shared_ptr<const ServedDefinition> found;
    if (const auto documents = k8s::read_documents(definitions())) {
      for (const k8s::Document& document : *documents) {
        const json::Value* metadata = json::find(document.value, "metadata");
        if (metadata != nullptr &&
            json::find_string(*metadata, "name") == "clusterversions.config.openshift.io")
          found = read(document.value.get_object());
      }
    }
    return found;
  }();
  return one;
}

const std::string& ServedDefinition::resource_version() const {
  return schema_->resource_version;
}

std::size_t ServedDefinition::max_items(std::string_view list) const {
  const json::Object* of = below(schema_->status, list);
  if (of == nullptr || refused_.contains(std::string(list))) return 0;
  const json::Value* limit = of->if_contains("maxItems");
  return limit != nullptr && limit->is_int64() && limit->get_int64() >= 0
             ? static_cast<std::size_t>(limit->get_int64())
             : std::numeric_limits<std::size_t>::max();
}

std::string ServedDefinition::refusal(std::string_view list, json::Object& item) const {
  const auto part = schema_->items.find(list);
  if (part == schema_->items.end() || refused_.contains(std::string(list)))
    return "the definition of ClusterVersion does not take `status." + std::string(list) + "`";
  json::Value value(std::move(item));
  std::string why = part->second.refusal(value);
  item = std::move(value.get_object());
  const auto name = why.empty() ? name_of_item(list, json::Value(item)) : std::nullopt;
  return name && refused_.contains(*name) ? "the API server has refused it" : why;
}

bool ServedDefinition::takes_rule(json::Value& rule) const {
  return schema_->rule && schema_->rule->refusal(rule).empty();
}

bool ServedDefinition::takes_url(const std::string& url) const {
  return !schema_->url || schema_->url->validator.is_valid(json::Value(url));
}

std::vector<std::string> ServedDefinition::fit(openshift::ClusterVersion& cluster) const {
  std::vector<std::string> gone;
  if (cluster.find("status") == nullptr) return gone;
  json::Object& members = cluster.object("status");
  // The lists of updates have been looked at, item by item.
  std::map<std::string, json::Value> lists;
  for (const char* list : {available_list, conditional_list, risk_list}) {
    if (json::Value* value = members.if_contains(list)) lists.emplace(list, std::move(*value));
    members.erase(list);
  }
  json::Value value(std::move(members));
  // The API server would drop it, too.
  schema::prune_part(value, *schema_->status);
  members = std::move(value.get_object());
  for (auto& [list, items] : lists) members[list] = std::move(items);
  json::Value* capabilities = members.if_contains("capabilities");
  if (capabilities == nullptr || !capabilities->is_object()) return gone;
  for (const char* name : capability_lists) {
    const std::string list = "capabilities." + std::string(name);
    const auto part = schema_->items.find(list);
    json::Value* items = capabilities->get_object().if_contains(name);
    if (part == schema_->items.end() || items == nullptr || !items->is_array()) continue;
    json::Array taken;
    std::size_t at = 0;
    for (json::Value& item : items->get_array()) {
      std::string why = part->second.refusal(item);
      if (const auto its = name_of_item(list, item); why.empty() && its && refused_.contains(*its))
        why = "the API server has refused it";
      if (why.empty()) {
        taken.push_back(std::move(item));
      } else {
        gone.push_back("status." + list + "[" + std::to_string(at) + "] is left out: " + printable(why, 300));
      }
      ++at;
    }
    *items = std::move(taken);
  }
  return gone;
}

std::set<std::string> ServedDefinition::refused_parts(const k8s::Status& answer,
                                                      const openshift::ClusterVersion& refused) {
  std::set<std::string> parts;
  const json::Value* status = refused.find("status");
  if (status == nullptr) return parts;
  constexpr std::string_view begin = "status.";
  for (const k8s::StatusCause& cause : answer.causes()) {
    if (!cause.field().starts_with(begin)) continue;
    const auto path = schema::FieldPath::parse(cause.field().substr(begin.size()));
    if (!path) continue;
    if (auto part = part_of(*status, path->steps())) parts.insert(*std::move(part));
  }
  return parts;
}

std::shared_ptr<const ServedDefinition> ServedDefinition::with_refused(
    const std::set<std::string>& parts) const {
  auto made = std::make_shared<ServedDefinition>(*this);
  made->refused_.insert(parts.begin(), parts.end());
  return made->refused_.size() == refused_.size() ? nullptr : made;
}

}  // namespace fairway::operators
