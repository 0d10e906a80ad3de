// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/audit/embedded_secrets.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"

namespace fairway::apiserver::audit {
namespace {

bool is_secret_kind(std::string_view kind) {
  constexpr std::array<std::string_view, 6> kinds{"secret",
                                                  "secretlist",
                                                  "tokenreview",
                                                  "tokenrequest",
                                                  "certificatesigningrequest",
                                                  "certificatesigningrequestlist"};
  const std::string lower = to_lower(kind);
  return std::ranges::find(kinds, lower) != kinds.end();
}

/// Returns whether a member belongs to an object itself, and not to a reference to one.
bool is_content(std::string_view name) {
  constexpr std::array<std::string_view, 6> names{"data",   "stringdata", "spec",
                                                  "status", "items",      "metadata"};
  return std::ranges::find(names, name) != names.end();
}

bool is_secret(const json::Object& object) {
  bool has_kind = false, has_content = false;
  for (const auto& member : object) {
    const std::string name = to_lower(member.key());
    if (name == "stringdata" && member.value().is_object()) return true;
    if (name == "kind" && member.value().is_string()) {
      has_kind = has_kind || is_secret_kind(std::string_view(member.value().get_string()));
    }
    has_content = has_content || is_content(name);
  }
  return has_kind && has_content;
}

}  // namespace

bool holds_secret(const json::Value& value) {
  if (const json::Array* array = value.if_array()) return std::ranges::any_of(*array, &holds_secret);
  const json::Object* object = value.if_object();
  if (object == nullptr) return false;
  return is_secret(*object) ||
         std::ranges::any_of(*object, [](const auto& member) { return holds_secret(member.value()); });
}

bool remove_last_applied(json::Value& value) {
  bool removed = false;
  if (json::Array* array = value.if_array()) {
    for (json::Value& item : *array) removed = remove_last_applied(item) || removed;
  } else if (json::Object* object = value.if_object()) {
    removed = object->erase(last_applied) != 0;
    for (auto& member : *object) removed = remove_last_applied(member.value()) || removed;
  }
  return removed;
}

}  // namespace fairway::apiserver::audit
