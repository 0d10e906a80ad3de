// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/error_field.h"

#include <charconv>
#include <cstddef>

#include "base/text.h"
#include "k8s/wire/field_error.h"

namespace fairway::conversion {

namespace {

constexpr std::size_t longest_value = 100;

/// Takes "[N]" from the front of a path.
std::optional<std::size_t> take_index(std::string_view& path) {
  std::size_t index = 0;
  const char* const end = path.data() + path.size();
  const auto [stop, error] = std::from_chars(path.data() + 1, end, index);
  if (error != std::errc{} || stop == end || *stop != ']') return std::nullopt;
  path.remove_prefix(static_cast<std::size_t>(stop + 1 - path.data()));
  return index;
}

const json::Value* element(const json::Value* list, std::size_t index) {
  const json::Array* items = list != nullptr ? list->if_array() : nullptr;
  return items != nullptr && index < items->size() ? &(*items)[index] : nullptr;
}

}  // namespace

std::string_view field_in_error(std::string_view message) {
  while (true) {
    const std::string_view field = k8s::leading_field(message);
    // The prefix is the object's place in the review.
    if (!field.empty() && !field.starts_with("request.objects[")) return field;
    const std::size_t colon = message.find(": ");
    if (colon == std::string_view::npos) return {};
    message.remove_prefix(colon + 2);
  }
}

std::optional<std::string> describe_value(const json::Object& object, std::string_view field) {
  const json::Object* within = &object;
  const json::Value* value = nullptr;
  while (true) {
    const std::string_view name = field.substr(0, field.find_first_of(".["));
    if (name.empty()) return std::nullopt;
    field.remove_prefix(name.size());
    value = within != nullptr ? within->if_contains(name) : nullptr;
    while (field.starts_with('[')) {
      const auto index = take_index(field);
      if (!index) return std::nullopt;
      value = element(value, *index);
    }
    if (field.empty()) break;
    if (field.front() != '.') return std::nullopt;
    field.remove_prefix(1);
    within = value != nullptr ? value->if_object() : nullptr;
  }
  return value != nullptr ? printable(json::to_text(*value), longest_value) : "absent";
}

}  // namespace fairway::conversion
