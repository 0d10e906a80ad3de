#include "schema/schema_check.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "k8s/equality.h"
#include "k8s/view.h"
#include "schema/schema.h"

namespace fairway::schema {

namespace {

std::optional<double> find_limit(const json::Object& schema, std::string_view name) {
  const json::Value* value = schema.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

/// `least` and `most` are the names of the two limits.
bool is_within(double value, const json::Object& schema, std::string_view least, std::string_view most) {
  const auto low = find_limit(schema, least), high = find_limit(schema, most);
  return (!low || value >= *low) && (!high || value <= *high);
}

bool fits_number(const json::Value& value, const json::Object& schema) {
  const auto number = value.to_number<double>();
  const k8s::View view(schema);
  if (!is_within(number, schema, "minimum", "maximum")) return false;
  if (view.flag("exclusiveMinimum") && number == find_limit(schema, "minimum")) return false;
  if (view.flag("exclusiveMaximum") && number == find_limit(schema, "maximum")) return false;
  const auto step = find_limit(schema, "multipleOf");
  return !step || *step == 0 || std::remainder(number, *step) == 0;
}

bool is_integer(const json::Value& value) {
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && std::trunc(value.get_double()) == value.get_double());
}

bool is_of_type(const json::Value& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "integer") return is_integer(value);
  return type != "number" || value.is_number();
}

/// Lengths are counted in characters.
std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

SchemaCheck::SchemaCheck() = default;
SchemaCheck::~SchemaCheck() = default;

bool SchemaCheck::fits(const json::Value& value, const json::Object& schema) {
  const k8s::View view(schema);
  if (value.is_null() && view.flag("nullable")) return true;
  if (const json::Value* choices = schema.if_contains("enum"); choices != nullptr && choices->is_array()) {
    const auto is_it = [&](const json::Value& choice) { return k8s::equal(choice, value); };
    if (std::ranges::none_of(choices->get_array(), is_it)) return false;
  }
  const std::string_view type = view.text("type");
  if (view.flag("x-kubernetes-int-or-string")) {
    if (!is_integer(value) && !value.is_string()) return false;
  } else if (!type.empty() && !is_of_type(value, type)) {
    return false;
  }
  if (value.is_number()) return fits_number(value, schema);
  if (value.is_string()) return fits_text(value.get_string(), schema);
  if (value.is_array()) return fits_list(value.get_array(), schema);
  return !value.is_object() || fits_object(value.get_object(), schema);
}

bool SchemaCheck::fits_text(std::string_view text, const json::Object& schema) {
  if (!is_within(static_cast<double>(count_characters(text)), schema, "minLength", "maxLength")) return false;
  const std::string_view pattern = k8s::View(schema).text("pattern");
  if (pattern.empty()) return true;
  auto& compiled = patterns_[&schema];
  if (!compiled) compiled = std::make_unique<re2::RE2>(re2::StringPiece(pattern), re2::RE2::Quiet);
  return compiled->ok() && re2::RE2::PartialMatch(re2::StringPiece(text), *compiled);
}

bool SchemaCheck::fits_list(const json::Array& list, const json::Object& schema) {
  if (!is_within(static_cast<double>(list.size()), schema, "minItems", "maxItems")) return false;
  const json::Object* items = item_schema(schema);
  return items == nullptr ||
         std::ranges::all_of(list, [&](const json::Value& item) { return fits(item, *items); });
}

bool SchemaCheck::fits_object(const json::Object& object, const json::Object& schema) {
  if (!is_within(static_cast<double>(object.size()), schema, "minProperties", "maxProperties")) return false;
  for (const std::string_view name : k8s::View(schema).texts("required")) {
    const json::Object* inner = member_schema(schema, name);
    if (!object.contains(name) && (inner == nullptr || !inner->contains("default"))) return false;
  }
  return std::ranges::all_of(object, [&](const auto& member) {
    const json::Object* inner = member_schema(schema, member.key());
    return inner == nullptr || fits(member.value(), *inner);
  });
}

bool is_required(const json::Object& schema, std::string_view member) {
  const auto names = k8s::View(schema).texts("required");
  return std::ranges::find(names, member) != names.end();
}

}  // namespace fairway::schema
