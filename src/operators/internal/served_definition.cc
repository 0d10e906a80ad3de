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

/// Rounds of looking for what is not taken: a part may hide another one.
constexpr int max_rounds = 4;

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
  if (list == "conditions") return prefix + text(item, "type");
  return std::nullopt;
}

bool is_list_of_updates(std::string_view member) {
  return member == available_list || member == conditional_list || member == risk_list;
}

/// Removes the deepest part on a path that is not required: a member, or an item of a list. Returns its path;
/// empty: all of it is required.
std::string remove_at(json::Value& value, const json::Object* schema, std::span<const schema::PathStep> path,
                      const std::string& before) {
  if (path.empty()) return "";
  json::Value* next = schema::follow(value, path.front());
  if (const auto* member = std::get_if<std::string>(&path.front())) {
    const std::string here = before + "." + *member;
    if (next != nullptr) {
      if (std::string deeper = remove_at(*next, below(schema, *member), path.subspan(1), here);
          !deeper.empty())
        return deeper;
    }
    if (next == nullptr || (schema != nullptr && schema::is_required(*schema, *member))) return "";
    value.get_object().erase(*member);
    return here;
  }
  if (next == nullptr || !value.is_array()) return "";
  const auto at = static_cast<std::size_t>(next - value.get_array().data());
  const std::string here = before + "[" + std::to_string(at) + "]";
  const json::Object* items = schema == nullptr ? nullptr : schema::item_schema(*schema);
  if (std::string deeper = remove_at(*next, items, path.subspan(1), here); !deeper.empty()) return deeper;
  value.get_array().erase(value.get_array().begin() + static_cast<std::ptrdiff_t>(at));
  return here;
}

}  // namespace

struct ServedDefinition::Schema {
  std::string resource_version;
  json::Object definition;
  const json::Object* status = nullptr;
  std::optional<Part> whole, rule, url;
  std::map<std::string, Part, std::less<>> items;  ///< items of the lists of updates
};

std::shared_ptr<const ServedDefinition> ServedDefinition::read(const json::Object& definition) {
  auto schema = std::make_shared<Schema>();
  schema->definition = definition;
  schema->status = status_schema(schema->definition);
  if (schema->status == nullptr) return nullptr;
  if (const json::Value* metadata = schema->definition.if_contains("metadata"))
    schema->resource_version = json::find_string(*metadata, "resourceVersion").value_or("");
  schema->whole.emplace(*schema->status);
  for (const char* list : {available_list, conditional_list, risk_list}) {
    if (const json::Object* items = items_of(schema->status, list)) schema->items.try_emplace(list, *items);
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
  const auto name = [&](const std::string& path, std::string_view why) {
    gone.push_back("status" + path + " is left out: " + printable(why, 300));
  };
  for (const std::string& part : refused_) {
    const std::size_t end = part.find('\n');
    const std::string list = part.substr(0, end);
    if (is_list_of_updates(list)) continue;
    const auto path = schema::FieldPath::parse(list);
    if (!path) continue;
    if (end == std::string::npos) {
      if (const std::string at = remove_at(value, schema_->status, path->steps(), ""); !at.empty())
        name(at, "the API server has refused it");
      continue;
    }
    json::Value* items = &value;
    for (const schema::PathStep& step : path->steps())
      if (items != nullptr) items = schema::follow(*items, step);
    if (items == nullptr || !items->is_array()) continue;
    const auto is_it = [&](const json::Value& item) {
      const auto its = name_of_item(list, item);
      return its && *its == part;
    };
    json::Array& array = items->get_array();
    const auto last = std::remove_if(array.begin(), array.end(), is_it);
    if (last != array.end()) name("." + list, "the API server has refused " + part.substr(end + 1));
    array.erase(last, array.end());
  }
  schema::prune_part(value, *schema_->status);
  for (int round = 0; round < max_rounds; ++round) {
    schema::Violations wrong = schema_->whole->validator.validate(value);
    // From the end: what is removed does not move what is before it.
    std::ranges::reverse(wrong);
    bool changed = false;
    for (const schema::Violation& one : wrong) {
      const auto path = schema::FieldPath::parse(one.path);
      if (!path || path->steps().empty()) continue;
      const auto* top = std::get_if<std::string>(&path->steps().front());
      if (top == nullptr || is_list_of_updates(*top)) continue;
      const std::string at = remove_at(value, schema_->status, path->steps(), "");
      if (at.empty()) continue;
      name(at, one.message);
      changed = true;
    }
    if (!changed) break;
  }
  members = std::move(value.get_object());
  for (auto& [list, items] : lists) members[list] = std::move(items);
  return gone;
}

std::set<std::string> ServedDefinition::refused_parts(std::string_view message,
                                                      const openshift::ClusterVersion& refused) {
  std::set<std::string> parts;
  const json::Value* status = refused.find("status");
  if (status == nullptr || !status->is_object()) return parts;
  constexpr std::string_view begin = "status.";
  for (std::size_t at = message.find(begin); at != std::string_view::npos;
       at = message.find(begin, at + begin.size())) {
    // A field of a complaint begins it, and a colon follows.
    if (at > 0 && !std::string_view(" [").contains(message[at - 1])) continue;
    const std::size_t end = message.find(": ", at);
    if (end == std::string_view::npos) break;
    const auto path = schema::FieldPath::parse(message.substr(at + begin.size(), end - at - begin.size()));
    if (!path || path->steps().empty()) continue;
    // The members up to the first item, and that item.
    std::string list;
    const json::Value* value = status;
    std::optional<std::string> part;
    for (const schema::PathStep& step : path->steps()) {
      value = schema::follow(*value, step);
      if (const auto* member = std::get_if<std::string>(&step)) {
        list += (list.empty() ? "" : ".") + *member;
        if (value == nullptr) break;
        continue;
      }
      if (value != nullptr) part = name_of_item(list, *value);
      break;
    }
    parts.insert(part.value_or(list));
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
