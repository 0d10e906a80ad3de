// SPDX-License-Identifier: Apache-2.0

#include "testing/random_objects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "k8s/view.h"
#include "schema/defaults.h"
#include "schema/field_path.h"
#include "schema/list_types.h"
#include "schema/schema.h"
#include "schema/validator.h"
#include "testing/internal/format_text.h"
#include "testing/internal/pattern_text.h"
#include "validation_rules/rule_set.h"

namespace fairway::testing {

namespace {

/// Depth of values without a declared schema.
constexpr int max_free_depth = 2;
/// Depth of other values. Schemas are finite, but maps of maps need not be filled to the end.
constexpr int max_depth = 12;

std::optional<double> find_number(const json::Object& schema, std::string_view name) {
  const json::Value* value = schema.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

std::size_t find_count(const json::Object& schema, std::string_view name, std::size_t otherwise) {
  const auto count = k8s::View(schema).find_integer(name);
  return count && *count >= 0 ? static_cast<std::size_t>(*count) : otherwise;
}

const json::Value* sample(const json::Object& schema) {
  for (const std::string_view name : {"default", "example"}) {
    if (const json::Value* value = schema.if_contains(name)) return value;
  }
  return nullptr;
}

/// Returns whether no value can be made that satisfies the schema.
bool is_beyond_us(const json::Object& schema) {
  if (!schema.contains("pattern") || schema.contains("enum") || sample(schema) != nullptr) return false;
  return !text_of_pattern(k8s::View(schema).text("pattern"), [](std::uint64_t) { return std::uint64_t{0}; });
}

/// Attempts to make a valid object, and a text of a pattern that has the length that is asked for.
constexpr int most_attempts = 20;

}  // namespace

struct RandomObjects::Judge {
  explicit Judge(const json::Object& of)
      : schema(of), validator(of), rules(validation_rules::RuleSet::compile(of)) {}

  const json::Object& schema;
  const schema::Validator validator;
  const std::unique_ptr<const validation_rules::RuleSet> rules;  ///< nullptr: none
};

RandomObjects::RandomObjects(const k8s::CustomResourceDefinition& definition, std::string version,
                             std::uint64_t seed)
    : definition_(definition), version_(std::move(version)), random_(seed) {
  for (const k8s::CustomResourceVersion& one : definition.versions()) {
    if (one.name() == version_) schema_ = one.schema().json();
  }
  judge_ = std::make_unique<const Judge>(schema_);
}

RandomObjects::~RandomObjects() = default;

bool RandomObjects::is_valid(const json::Object& object) const {
  json::Object filled = object;
  if (!schema::fill_in_defaults(filled, schema_)) return false;
  const json::Value value(filled);
  return judge_->validator.is_valid(value) && schema::check_list_types(filled, schema_).empty() &&
         (judge_->rules == nullptr || judge_->rules->validate(value, nullptr).empty());
}

k8s::Dynamic RandomObjects::next() {
  k8s::Dynamic made = attempt();
  for (int i = 1; i < most_attempts && !is_valid(made.json()); ++i) made = attempt();
  made.set_name("object-" + std::to_string(++made_));
  return made;
}

k8s::Dynamic RandomObjects::attempt() {
  k8s::Dynamic made;
  made.set("apiVersion", std::string(definition_.group()) + "/" + version_);
  made.set("kind", definition_.defined_kind());
  made.set_name("object");
  if (definition_.scope() == k8s::Scope::namespaced) made.set_namespace_name("default");
  const json::Value body = object(schema_, 0, true);
  for (const auto& member : body.get_object()) made.json()[member.key()] = member.value();
  return made;
}

std::string RandomObjects::word() {
  static const std::vector<std::string> words = {"a", "b",  "c",    "x-1",          "a.b/c",
                                                 "Ü", "10", "true", "a longer text"};
  return words[below(words.size())];
}

json::Value RandomObjects::anything(int depth) {
  switch (below(depth < max_free_depth ? 7 : 5)) {
    case 0:
      return json::Value(word());
    case 1:
      return static_cast<std::int64_t>(random_());
    case 2:
      return one_in(2);
    case 3:
      return static_cast<double>(below(1000)) / 8 + 0.0625;
    case 4:
      return static_cast<std::int64_t>(below(10));
    case 5: {
      json::Array items;
      for (std::uint64_t i = below(3); i > 0; --i) items.push_back(anything(depth + 1));
      return json::Value(std::move(items));
    }
    default: {
      json::Object members;
      for (std::uint64_t i = below(3); i > 0; --i) members[word()] = anything(depth + 1);
      return json::Value(std::move(members));
    }
  }
}

json::Value RandomObjects::value(const json::Object& schema, int depth) {
  const k8s::View view(schema);
  if (view.flag("nullable") && one_in(8)) return nullptr;
  if (const json::Value* choices = schema.if_contains("enum");
      choices != nullptr && choices->is_array() && !choices->get_array().empty()) {
    return choices->get_array()[below(choices->get_array().size())];
  }
  if (view.flag("x-kubernetes-int-or-string")) {
    return one_in(2) ? json::Value(static_cast<std::int64_t>(below(100))) : json::Value(word());
  }
  const std::string_view type = view.text("type");
  if (type == "object") return object(schema, depth, view.flag("x-kubernetes-embedded-resource"));
  if (type == "array") return list(schema, depth);
  if (type == "string") return text(schema);
  if (type == "integer") return integer(schema);
  if (type == "number") return number(schema);
  if (type == "boolean") return one_in(2);
  return anything(0);
}

json::Value RandomObjects::object(const json::Object& schema, int depth, bool is_resource) {
  json::Object made;
  const auto required = k8s::View(schema).texts("required");
  const json::Value* properties = schema.if_contains("properties");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& member : properties->get_object()) {
      const std::string_view name = member.key();
      if (!member.value().is_object()) continue;
      if (is_resource && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
      const json::Object& inner = member.value().get_object();
      const bool must = std::ranges::find(required, name) != required.end();
      if (!must && (one_in(3) || depth > max_depth || is_beyond_us(inner))) continue;
      made[name] = value(inner, depth + 1);
    }
  } else if (const json::Value* additional = schema.if_contains("additionalProperties")) {
    for (std::uint64_t i = depth < max_depth ? below(3) : 0; i > 0; --i) {
      made[word()] = additional->is_object() ? value(additional->get_object(), depth + 1) : anything(0);
    }
  }
  if (k8s::View(schema).flag("x-kubernetes-preserve-unknown-fields") && one_in(2)) {
    made["unknown" + std::to_string(below(3))] = anything(0);
  }
  return json::Value(std::move(made));
}

json::Value RandomObjects::list(const json::Object& schema, int depth) {
  json::Array made;
  const json::Object* items = schema::item_schema(schema);
  if (items == nullptr) return json::Value(std::move(made));
  const std::size_t least = find_count(schema, "minItems", 0);
  const std::size_t most = std::min(find_count(schema, "maxItems", least + 3), least + 3);
  const std::vector<std::string> keys = schema::list_keys(schema);
  const bool is_set = k8s::View(schema).text("x-kubernetes-list-type") == "set";
  std::vector<std::string> seen;
  const std::size_t wanted = depth < max_depth || least > 0 ? least + below(most - least + 1) : 0;
  // Where keys have few values there may be fewer items than wanted.
  for (std::size_t tries = 0; made.size() < wanted && tries < 20 * (wanted + 1); ++tries) {
    json::Value item = value(*items, depth + 1);
    std::string key;
    if (is_set) json::append_text(key, item);
    for (const std::string& name : keys) {
      const json::Value* part = json::find(item, name);
      if (part == nullptr && item.is_object()) {
        // A key must be there, or have a default.
        const json::Object* inner = schema::member_schema(*items, name);
        part = &(item.get_object()[name] = inner != nullptr ? value(*inner, depth + 2) : json::Value(word()));
      }
      if (part != nullptr) json::append_text(key, *part);
      key += ',';
    }
    if (!key.empty()) {
      if (std::ranges::find(seen, key) != seen.end()) continue;
      seen.push_back(std::move(key));
    }
    made.push_back(std::move(item));
  }
  return json::Value(std::move(made));
}

json::Value RandomObjects::text(const json::Object& schema) {
  const std::size_t least = find_count(schema, "minLength", 0), most = find_count(schema, "maxLength", 64);
  const Below chosen = [this](std::uint64_t limit) { return below(limit); };
  if (schema.contains("pattern")) {
    const std::string_view pattern = k8s::View(schema).text("pattern");
    for (int i = 0; i < most_attempts; ++i) {
      const auto text = text_of_pattern(pattern, chosen);
      if (!text) break;
      if (text->size() >= least && text->size() <= most) return json::Value(*text);
    }
    const json::Value* value = sample(schema);
    return value != nullptr ? *value : json::Value("");
  }
  if (const auto text = text_of_format(k8s::View(schema).text("format"), chosen)) return json::Value(*text);
  std::string made = word();
  while (made.size() < least) made += 'x';
  // Lengths are counted in characters: cut what has only one byte each.
  if (made.size() > most) made = std::string(std::max<std::size_t>(most, 1), 'y').substr(0, most);
  return json::Value(made);
}

json::Value RandomObjects::integer(const json::Object& schema) {
  const bool is_small = k8s::View(schema).text("format") == "int32";
  const double lowest = find_number(schema, "minimum").value_or(is_small ? -0x1p31 : -0x1p62);
  const double highest = find_number(schema, "maximum").value_or(is_small ? 0x1p31 - 1 : 0x1p62);
  const auto low = static_cast<std::int64_t>(std::ceil(lowest)), high = static_cast<std::int64_t>(highest);
  const bool open_low = k8s::View(schema).flag("exclusiveMinimum"),
             open_high = k8s::View(schema).flag("exclusiveMaximum");
  const std::int64_t first = low + (open_low ? 1 : 0), last = high - (open_high ? 1 : 0);
  if (last <= first) return first;
  const auto span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  // Small ones find more faults.
  const std::uint64_t step = one_in(4) ? below(span) : below(std::min<std::uint64_t>(span, 6) + 1);
  return first <= 0 && last >= 0 && one_in(2)
             ? std::int64_t{0}
             : static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + step);
}

json::Value RandomObjects::number(const json::Object& schema) {
  const double low = find_number(schema, "minimum").value_or(-1000);
  const double high = find_number(schema, "maximum").value_or(std::max(low, 0.0) + 1000);
  return low + (high - low) * (static_cast<double>(1 + below(998)) / 1000);
}

}  // namespace fairway::testing
