// SPDX-License-Identifier: Apache-2.0

#include "validation_rules/internal/keyed_items.h"

#include <utility>

namespace fairway::validation_rules {

KeyedItems::KeyedItems(const json::Array& items, std::vector<std::string> keys) : keys_(std::move(keys)) {
  if (keys_.empty()) return;
  for (const json::Value& item : items) {
    if (auto key = key_of(item)) items_.emplace(std::move(*key), &item);
  }
}

const json::Value* KeyedItems::find(const json::Value& item) const {
  if (items_.empty()) return nullptr;
  const auto key = key_of(item);
  if (!key) return nullptr;
  const auto found = items_.find(*key);
  return found == items_.end() ? nullptr : found->second;
}

/// Returns the key of an item; std::nullopt if a member of it is missing, or no scalar.
std::optional<std::string> KeyedItems::key_of(const json::Value& item) const {
  const json::Object* object = item.if_object();
  if (object == nullptr) return std::nullopt;
  std::string key;
  for (const std::string& name : keys_) {
    const json::Value* value = object->if_contains(name);
    if (value == nullptr || value->is_null() || value->is_structured()) return std::nullopt;
    json::append_text(key, *value);
    key += ',';
  }
  return key;
}

}  // namespace fairway::validation_rules
