// SPDX-License-Identifier: Apache-2.0

#include "conversion/check/round_trip.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "conversion/internal/lost_fields.h"
#include "k8s/equality.h"
#include "schema/field_path.h"
#include "schema/schema.h"

namespace fairway::conversion {

namespace {

constexpr std::size_t longest_value = 120;

std::string shown(const json::Value& value) {
  return printable(json::to_text(value), longest_value);
}

/// A place in both documents: its path, and the path that causes name.
struct Place {
  std::string path, cause;

  Place member(std::string_view name) const {
    Place inner = *this;
    schema::append_member(inner.path, name);
    schema::append_member(inner.cause, name);
    return inner;
  }
  Place item(std::size_t index) const {
    Place inner = *this;
    schema::append_index(inner.path, index);
    inner.cause += "[]";
    return inner;
  }
  Place item(const schema::ListKey& key) const {
    Place inner = *this;
    schema::append_key(inner.path, key);
    inner.cause += "[]";
    return inner;
  }
};

/// An item of a list, by its key.
struct KeyedItem {
  schema::ListKey key;
  std::string text;  ///< the key as text, the same for equal numbers
  const json::Value* value = nullptr;
};

/// The items of a list with their keys, in order.
struct KeyedItems {
  std::vector<KeyedItem> items;
  std::unordered_map<std::string_view, const json::Value*> by_text;

  const json::Value* find(const KeyedItem& other) const {
    const auto found = by_text.find(other.text);
    return found == by_text.end() ? nullptr : found->second;
  }
};

/// Returns the key as text; 1.0 is 1, as JSON has one kind of number.
std::string text_of(schema::ListKey key) {
  constexpr double exact = 9007199254740992.0;  // 2^53: up to it, a double is the integer that it looks like
  for (auto& [name, value] : key.members) {
    if (!value.is_double()) continue;
    const double number = value.get_double();
    if (std::abs(number) <= exact && number == std::trunc(number)) value = static_cast<std::int64_t>(number);
  }
  std::string text;
  schema::append_key(text, key);
  return text;
}

/// Returns the items with the values by which they are known; std::nullopt if an item lacks one of them, or
/// two have the same.
std::optional<KeyedItems> by_keys(const json::Array& list, const std::vector<std::string>& names) {
  KeyedItems keyed;
  keyed.items.reserve(list.size());  // no text moves: the map refers to them
  for (const json::Value& item : list) {
    schema::ListKey key;
    for (const std::string& name : names) {
      const json::Value* value = json::find(item, name);
      if (value == nullptr || value->is_structured() || value->is_null()) return std::nullopt;
      key.members.emplace_back(name, *value);
    }
    std::string text = text_of(key);
    const KeyedItem& added = keyed.items.emplace_back(std::move(key), std::move(text), &item);
    if (!keyed.by_text.emplace(added.text, &item).second) return std::nullopt;
  }
  return keyed;
}

/// Returns the items of `items` that `others` has as well.
std::vector<const json::Value*> common(const KeyedItems& items, const KeyedItems& others, bool of_others) {
  std::vector<const json::Value*> both;
  for (const KeyedItem& item : items.items) {
    const json::Value* other = others.find(item);
    if (other != nullptr) both.push_back(of_others ? other : item.value);
  }
  return both;
}

const json::Object* inner_schema(const json::Object* schema, std::string_view name) {
  if (schema == nullptr) return nullptr;
  if (const json::Object* own = schema::member_schema(*schema, name)) return own;
  const json::Value* additional = schema->if_contains("additionalProperties");
  return additional != nullptr && additional->is_object() ? &additional->get_object() : nullptr;
}

class Comparison {
 public:
  void values(const Place& place, const json::Value* own, const json::Value* back,
              const json::Object* schema) {
    if (k8s::equal_with_null_as_absent(own, back)) return;
    // They differ, and so one of them is there and not null.
    if (back == nullptr || back->is_null()) {
      if (own != nullptr) lost(place, *own);
      return;
    }
    if (own == nullptr || own->is_null()) return added(place, *back);
    if (own->is_object() && back->is_object()) {
      return objects(place, own->get_object(), back->get_object(), schema);
    }
    if (own->is_array() && back->is_array()) {
      return lists(place, own->get_array(), back->get_array(), schema);
    }
    found_.push_back({FindingKind::changes, place.cause + " comes back as another value", place.path,
                      shown(*own) + " came back as " + shown(*back)});
  }

  void objects(const Place& place, const json::Object& own, const json::Object& back,
               const json::Object* schema) {
    for (const auto& [name, value] : own) {
      values(place.member(name), &value, back.if_contains(name), inner_schema(schema, name));
    }
    for (const auto& [name, value] : back) {
      if (!own.contains(name)) values(place.member(name), nullptr, &value, nullptr);
    }
  }

  std::vector<Finding> take() { return std::move(found_); }

 private:
  void lost(const Place& place, const json::Value& own) {
    found_.push_back({FindingKind::loses, place.cause + " does not come back", place.path, shown(own)});
  }
  void added(const Place& place, const json::Value& back) {
    found_.push_back({FindingKind::changes, place.cause + " comes back though it was absent", place.path,
                      "absent before, came back as " + shown(back)});
  }

  void lists(const Place& place, const json::Array& own, const json::Array& back,
             const json::Object* schema) {
    std::vector<std::string> keys =
        schema != nullptr ? schema::list_keys(*schema) : std::vector<std::string>();
    if (keys.empty()) keys = {"name"};
    const json::Object* item_schema = schema != nullptr ? schema::item_schema(*schema) : nullptr;
    const auto own_items = by_keys(own, keys), back_items = by_keys(back, keys);
    if (own_items && back_items) return keyed_lists(place, *own_items, *back_items, item_schema);
    if (own.size() == back.size()) {
      for (std::size_t i = 0; i < own.size(); ++i) values(place.item(i), &own[i], &back[i], item_schema);
      return;
    }
    const bool is_shorter = back.size() < own.size();
    found_.push_back(
        {is_shorter ? FindingKind::loses : FindingKind::changes,
         place.cause + (is_shorter ? " comes back with fewer items" : " comes back with more items"),
         place.path, std::to_string(own.size()) + " items came back as " + std::to_string(back.size())});
  }

  void keyed_lists(const Place& place, const KeyedItems& own, const KeyedItems& back,
                   const json::Object* item_schema) {
    for (const KeyedItem& item : own.items) {
      values(place.item(item.key), item.value, back.find(item), item_schema);
    }
    for (const KeyedItem& item : back.items) {
      if (own.find(item) == nullptr) added(place.item(item.key), *item.value);
    }
    if (common(own, back, true) != common(back, own, false)) {
      found_.push_back({FindingKind::changes, place.cause + " comes back in another order", place.path, {}});
    }
  }

  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> compare_round_trip(const k8s::Dynamic& own, const k8s::Dynamic& back,
                                        const json::Object* schema) {
  const std::string kept = lost_fields_annotation(own.group_version_kind().group);
  json::Object before = own.json(), after = back.json();
  const auto reduce = [](json::Object& document) {
    json::Object metadata;
    if (const json::Value* whole = document.if_contains("metadata"); whole != nullptr && whole->is_object()) {
      for (const std::string_view name : {"labels", "annotations"}) {
        const json::Value* entries = whole->get_object().if_contains(name);
        const bool is_empty = entries == nullptr || !entries->is_object() || entries->get_object().empty();
        if (!is_empty) metadata[name] = *entries;
      }
    }
    document.erase("apiVersion");
    document.erase("kind");
    document["metadata"] = std::move(metadata);
  };
  reduce(before);
  reduce(after);
  if (!own.annotations().contains(kept)) {
    json::Object& metadata = after["metadata"].get_object();
    if (json::Value* annotations = metadata.if_contains("annotations")) {
      annotations->get_object().erase(kept);
      if (annotations->get_object().empty()) metadata.erase("annotations");
    }
  }
  Comparison comparison;
  comparison.objects({}, before, after, schema);
  return comparison.take();
}

std::string path_of_cause(const std::string& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    text += path[i];
    if (path[i] != '[') continue;
    const std::size_t end = path.find(']', i);
    if (end == std::string::npos) continue;
    const bool is_number = end > i + 1 && std::all_of(path.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                                      path.begin() + static_cast<std::ptrdiff_t>(end),
                                                      [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_number) {
      text += ']';
      i = end;
    }
  }
  return text;
}

}  // namespace fairway::conversion
