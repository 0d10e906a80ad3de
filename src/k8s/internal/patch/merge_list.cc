// SPDX-License-Identifier: Apache-2.0

#include "k8s/internal/patch/merge_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/text.h"

namespace fairway::k8s {

namespace {

/// An item with its place in an order.
struct Placed {
  std::size_t place;
  std::optional<std::size_t> old_place;
  json::Value item;
};

std::string number_text(const json::Value& number) {
  if (number.is_double() && std::trunc(number.get_double()) == number.get_double() &&
      std::abs(number.get_double()) < 0x1p53) {
    return std::to_string(static_cast<std::int64_t>(number.get_double()));
  }
  return json::to_text(number);
}

}  // namespace

Result<std::string> item_key(const json::Value& item, std::string_view merge_key) {
  const json::Value* key = &item;
  if (!merge_key.empty()) {
    if (!item.is_object()) return fail(ErrorCode::invalid, "each item must be an object");
    key = item.get_object().if_contains(merge_key);
    if (key == nullptr || key->is_null()) {
      return fail(ErrorCode::invalid, "each item must have `" + std::string(merge_key) + "`, not " +
                                          printable(json::to_text(item), 100));
    }
  }
  if (key->is_string()) return "text " + std::string(key->get_string());
  if (key->is_number()) return "number " + number_text(*key);
  if (key->is_bool()) return std::string(key->get_bool() ? "true" : "false");
  return fail(ErrorCode::invalid,
              merge_key.empty() ? "each item must be a text, a number or a boolean"
                                : "`" + std::string(merge_key) + "` of an item must be a text or a number");
}

Result<ItemOrder> ItemOrder::of(const json::Array& list, std::string_view merge_key) {
  ItemOrder order;
  for (const json::Value& item : list) {
    auto key = item_key(item, merge_key);
    if (!key) return fail(key.error());
    order.add(*std::move(key));
  }
  return order;
}

std::optional<std::size_t> ItemOrder::find(const std::string& key) const {
  const auto found = places_.find(key);
  return found != places_.end() ? std::optional(found->second) : std::nullopt;
}

json::Array sorted(json::Array merged, std::string_view merge_key, const ItemOrder& patch_order,
                   const ItemOrder& old_order) {
  std::vector<Placed> patched, others;
  for (json::Value& item : merged) {
    const std::string key = item_key(item, merge_key).value_or("");
    const auto old_place = old_order.find(key);
    if (const auto place = patch_order.find(key)) {
      patched.push_back({*place, old_place, std::move(item)});
    } else {
      others.push_back(
          {old_place.value_or(std::numeric_limits<std::size_t>::max()), old_place, std::move(item)});
    }
  }
  std::ranges::stable_sort(patched, {}, &Placed::place);
  std::ranges::stable_sort(others, {}, &Placed::place);
  json::Array result;
  result.reserve(merged.size());
  auto other = others.begin();
  for (Placed& one : patched) {
    while (other != others.end() && one.old_place && other->old_place && *other->old_place < *one.old_place) {
      result.push_back(std::move(other++->item));
    }
    result.push_back(std::move(one.item));
  }
  for (; other != others.end(); ++other) result.push_back(std::move(other->item));
  return result;
}

Result<void> check_order(const json::Array& patch, const json::Array& wanted, std::string_view merge_key) {
  if (wanted.empty()) return {};
  std::size_t at = 0;
  for (const json::Value& item : patch) {
    if (json::find(item, "$patch") != nullptr) continue;
    const auto key = item_key(item, merge_key);
    if (!key) return fail(key.error());
    while (at < wanted.size() && item_key(wanted[at], merge_key).value_or("") != *key) ++at;
    if (at++ == wanted.size()) {
      return fail(ErrorCode::invalid,
                  "the items of the patch must stand in $setElementOrder, and in the same order; " +
                      printable(json::to_text(item), 100) + " does not");
    }
  }
  return {};
}

}  // namespace fairway::k8s
