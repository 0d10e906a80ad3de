// SPDX-License-Identifier: Apache-2.0

#include "k8s/patch/strategic_patch.h"

#include <optional>
#include <set>
#include <string>

#include "base/text.h"
#include "k8s/internal/patch/measure.h"
#include "k8s/internal/patch/merge_list.h"
#include "k8s/members.h"

namespace fairway::k8s {

namespace {

constexpr std::string_view patch_directive = "$patch", retain_directive = "$retainKeys",
                           delete_prefix = "$deleteFromPrimitiveList/", order_prefix = "$setElementOrder/";

bool is_directive(std::string_view key) {
  return key == patch_directive || key == retain_directive || key.starts_with(delete_prefix) ||
         key.starts_with(order_prefix);
}

/// Returns the `$patch` of an object, if it has one.
const json::Value* directive_of(const json::Value& value) {
  return json::find(value, patch_directive);
}

bool says(const json::Value& directive, std::string_view what) {
  return directive.is_string() && std::string_view(directive.get_string()) == what;
}

/// Returns a part of the patch for which the document has no value, without nulls and directives.
/// std::nullopt for an object with `$patch`, as on the API server: there is nothing that it could replace or
/// delete.
std::optional<json::Value> as_new(const json::Value& value) {
  if (const json::Array* array = value.if_array()) {
    json::Array copy;
    for (const json::Value& item : *array) {
      if (auto one = as_new(item)) copy.push_back(*std::move(one));
    }
    return json::Value(std::move(copy));
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return value;
  if (directive_of(value) != nullptr) return std::nullopt;
  json::Object copy;
  for (const auto& [key, member] : *object) {
    if (member.is_null() || is_directive(key)) continue;
    if (auto one = as_new(member)) copy[key] = *std::move(one);
  }
  return json::Value(std::move(copy));
}

/// Returns a part of the patch as a value: without nulls and directives, but with the members beside a
/// directive. Items that only delete or replace are left out.
json::Value as_it_stands(const json::Value& value) {
  if (const json::Array* array = value.if_array()) {
    json::Array copy;
    for (const json::Value& item : *array) {
      const json::Value* directive = directive_of(item);
      if (directive != nullptr && (says(*directive, "delete") || item.get_object().size() == 1)) continue;
      copy.push_back(as_it_stands(item));
    }
    return json::Value(std::move(copy));
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return value;
  json::Object copy;
  for (const auto& [key, member] : *object) {
    if (!member.is_null() && !is_directive(key)) copy[key] = as_it_stands(member);
  }
  return json::Value(std::move(copy));
}

/// The position in the document, for errors.
struct Place {
  const Place* above = nullptr;
  std::string_view name;

  std::string shown() const {
    if (above == nullptr) return std::string(name);
    const std::string path = above->shown();
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }
};

std::unexpected<Error> bad(const Place& place, const std::string& why) {
  const std::string path = place.shown();
  return fail(ErrorCode::invalid,
              "strategic merge patch: " + (path.empty() ? std::string() : printable(path) + ": ") + why);
}

Result<void> merge_object(json::Object& target, const json::Object& patch, const PatchSchema* schema,
                          const Place& place);

/// Merges the items of a list that is merged by a key or as a set.
Result<void> merge_list(json::Array& target, const json::Array& patch, const PatchSchema::Field& field,
                        const Place& place) {
  const std::string& key = field.merge_key;
  if (target.empty() && patch.empty()) return {};
  if (const auto keys = ItemOrder::of(target, key); !keys) return bad(place, keys.error().message);
  // The rest of the patch, without items that only delete.
  json::Array merging;
  bool replace = false;
  std::set<std::string> deleted;
  for (const json::Value& item : patch) {
    const json::Value* directive = key.empty() ? nullptr : directive_of(item);
    if (directive == nullptr) {
      merging.push_back(item);
    } else if (says(*directive, "delete")) {
      auto name = item_key(item, key);
      if (!name) return bad(place, name.error().message);
      deleted.insert(*std::move(name));
    } else if (says(*directive, "replace")) {
      replace = true;
    } else {
      return bad(place, "$patch: " + printable(json::to_text(*directive), 40) +
                            " is no directive of a list's item; use replace or delete");
    }
  }
  auto order = ItemOrder::of(merging, key);
  if (!order) return bad(place, order.error().message);
  if (replace) {
    target = as_it_stands(json::Value(std::move(merging))).get_array();
    return {};
  }
  json::Array merged;
  ItemOrder known;
  for (json::Value& item : target) {
    std::string name = *item_key(item, key);
    if (deleted.contains(name) || (key.empty() && known.find(name))) continue;
    known.add(std::move(name));
    merged.push_back(std::move(item));
  }
  const ItemOrder before = known;
  for (const json::Value& item : merging) {
    std::string name = *item_key(item, key);
    if (const auto at = known.find(name); !at) {
      known.add(std::move(name));
      merged.push_back(as_it_stands(item));
    } else if (!key.empty()) {
      auto done = merge_object(merged[*at].get_object(), item.get_object(), field.type, place);
      if (!done) return done;
    }
  }
  target = sorted(std::move(merged), key, *order, before);
  return {};
}

Result<void> merge_value(json::Object& target, std::string_view name, const json::Value& patch,
                         const PatchSchema::Field* field, const Place& place) {
  json::Value* value = target.if_contains(name);
  if (value != nullptr && value->is_object() && patch.is_object()) {
    if (field == nullptr || !field->replace) {
      return merge_object(value->get_object(), patch.get_object(), field != nullptr ? field->type : nullptr,
                          place);
    }
    *value = as_it_stands(patch);
  } else if (value != nullptr && value->is_array() && patch.is_array()) {
    if (field != nullptr && field->merge) {
      return merge_list(value->get_array(), patch.get_array(), *field, place);
    }
    *value = as_it_stands(patch);
  } else if (auto fresh = as_new(patch)) {
    target[name] = *std::move(fresh);
  } else if (value != nullptr) {
    target.stable_erase(target.find(name));
  }
  return {};
}

Result<void> retain_keys(json::Object& target, const json::Object& patch, const Place& place) {
  const json::Value* list = patch.if_contains(retain_directive);
  if (list == nullptr) return {};
  std::set<std::string_view> retained;
  if (!list->is_array()) return bad(place, "$retainKeys must be a list of names");
  for (const json::Value& item : list->get_array()) {
    if (!item.is_string()) return bad(place, "$retainKeys must be a list of names");
    retained.insert(item.get_string());
  }
  for (const auto& [key, value] : patch) {
    if (!value.is_null() && !is_directive(key) && !retained.contains(key)) {
      return bad(place, "$retainKeys must name '" + printable(key, 80) + "' too: the patch sets it");
    }
  }
  erase_members(target, [&](std::string_view key) { return !retained.contains(key); });
  return {};
}

Result<void> delete_from_list(json::Object& target, std::string_view name, const json::Value& gone,
                              const Place& place) {
  if (!gone.is_array()) return bad(place, "$deleteFromPrimitiveList must be a list");
  const auto order = ItemOrder::of(gone.get_array(), {});
  if (!order) return bad(place, order.error().message);
  json::Value* value = target.if_contains(name);
  json::Array* list = value != nullptr ? value->if_array() : nullptr;
  if (list == nullptr) return {};
  json::Array kept;
  for (json::Value& item : *list) {
    auto key = item_key(item, {});
    if (!key) return bad(place, key.error().message);
    if (!order->find(*key)) kept.push_back(std::move(item));
  }
  *list = std::move(kept);
  return {};
}

/// Merges a list whose order the patch gives.
Result<void> merge_in_order(json::Object& target, std::string_view name, const json::Value& wanted,
                            const json::Value* patch, const PatchSchema::Field* field, const Place& place) {
  const std::string key = field != nullptr ? field->merge_key : "";
  if (!wanted.is_array()) return bad(place, "$setElementOrder must be a list");
  const auto order = ItemOrder::of(wanted.get_array(), key);
  if (!order) return bad(place, order.error().message);
  json::Value* value = target.if_contains(name);
  if ((value != nullptr && !value->is_array()) || (patch != nullptr && !patch->is_array())) {
    return bad(place, "what $setElementOrder orders must be a list");
  }
  if (patch != nullptr) {
    if (auto fits = check_order(patch->get_array(), wanted.get_array(), key); !fits) {
      return bad(place, fits.error().message);
    }
  }
  const json::Array none;
  const auto before = ItemOrder::of(value != nullptr ? std::as_const(value->get_array()) : none, key);
  if (!before) return bad(place, before.error().message);
  if (patch != nullptr) {
    if (auto merged = merge_value(target, name, *patch, field, place); !merged) return merged;
  }
  value = target.if_contains(name);
  if (value == nullptr) return {};
  // The merged list has the keys of the lists that it was merged from.
  value->get_array() = sorted(std::move(value->get_array()), key, *order, *before);
  return {};
}

Result<void> merge_object(json::Object& target, const json::Object& patch, const PatchSchema* schema,
                          const Place& place) {
  if (const json::Value* directive = patch.if_contains(patch_directive)) {
    if (says(*directive, "replace")) {
      target = as_it_stands(json::Value(patch)).get_object();
    } else if (says(*directive, "delete")) {
      target.clear();
    } else {
      return bad(place, "$patch: " + printable(json::to_text(*directive), 40) +
                            " is no directive of an object; use replace or delete");
    }
    return {};
  }
  const auto field_of = [&](std::string_view name) {
    return schema != nullptr ? schema->find(name) : nullptr;
  };
  if (auto retained = retain_keys(target, patch, place); !retained) return retained;
  std::set<std::string_view> done;
  for (const auto& [key, value] : patch) {
    if (!key.starts_with(order_prefix)) continue;
    const std::string_view name = std::string_view(key).substr(order_prefix.size());
    auto merged =
        merge_in_order(target, name, value, patch.if_contains(name), field_of(name), {&place, name});
    if (!merged) return merged;
    done.insert(name);
  }
  for (const auto& [key, value] : patch) {
    if (!key.starts_with(delete_prefix)) continue;
    const std::string_view name = std::string_view(key).substr(delete_prefix.size());
    if (auto deleted = delete_from_list(target, name, value, {&place, name}); !deleted) return deleted;
  }
  erase_members(target, [&](std::string_view key) {
    const json::Value* value = patch.if_contains(key);
    return value != nullptr && value->is_null() && !is_directive(key);
  });
  for (const auto& [key, value] : patch) {
    const std::string_view name = key;
    if (value.is_null() || is_directive(name) || done.contains(name)) continue;
    if (auto merged = merge_value(target, name, value, field_of(name), {&place, name}); !merged)
      return merged;
  }
  return {};
}

}  // namespace

Result<json::Value> apply_strategic_patch(json::Value document, const json::Value& patch,
                                          const PatchSchema& schema, const PatchLimits& limits) {
  if (!document.is_object() || !patch.is_object()) {
    return bad({}, "the patch, and what is patched, must be objects");
  }
  if (Measure::of(patch, limits.depth).depth > limits.depth) {
    return fail(ErrorCode::too_large,
                "the strategic merge patch is nested deeper than " + std::to_string(limits.depth));
  }
  auto merged = merge_object(document.get_object(), patch.get_object(), &schema, {});
  if (!merged) return fail(merged.error());
  return document;
}

}  // namespace fairway::k8s
