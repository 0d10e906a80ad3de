// SPDX-License-Identifier: Apache-2.0

#include "k8s/patch/merge_patch.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "k8s/equality.h"
#include "k8s/internal/patch/measure.h"
#include "k8s/members.h"
#include "k8s/patch/json_pointer.h"

namespace fairway::k8s {

namespace {

void merge(json::Value& target, const json::Value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  json::Object& object = target.is_object() ? target.get_object() : target.emplace_object();
  erase_members(object, [&](std::string_view key) {
    const json::Value* value = patch.get_object().if_contains(key);
    return value != nullptr && value->is_null();
  });
  for (const auto& [key, value] : patch.get_object()) {
    if (!value.is_null()) merge(object[key], value);
  }
}

/// The position in the document, for errors.
struct Place {
  const Place* above = nullptr;
  std::string_view name;

  std::string pointer() const {
    return above == nullptr ? std::string() : above->pointer() + "/" + escape_json_pointer(name);
  }
};

std::unexpected<Error> cannot_say(const Place& place) {
  return fail(ErrorCode::invalid, "no merge patch sets '" + printable(place.pointer()) +
                                      "' to null: null removes there; use a JSON patch");
}

/// Checks a new value, which is not merged with an object of the document: the patch has all of it, so no
/// member may be null.
Result<void> check_new(const json::Value& value, const Place& place) {
  if (value.is_null()) return cannot_say(place);
  // Lists are replaced as they are, with the nulls in them.
  if (!value.is_object()) return {};
  for (const auto& [key, member] : value.get_object()) {
    if (auto checked = check_new(member, {&place, key}); !checked) return checked;
  }
  return {};
}

Result<json::Object> difference(const json::Object& from, const json::Object& to, const Place& place) {
  json::Object patch;
  for (const auto& [key, value] : from) {
    if (to.if_contains(key) == nullptr) patch[key] = nullptr;
  }
  for (const auto& [key, value] : to) {
    const Place member{&place, key};
    const json::Value* before = from.if_contains(key);
    if (before != nullptr && before->is_object() && value.is_object()) {
      auto inner = difference(before->get_object(), value.get_object(), member);
      if (!inner) return inner;
      if (!inner->empty()) patch[key] = *std::move(inner);
    } else if (before == nullptr || !equal(*before, value)) {
      if (auto checked = check_new(value, member); !checked) return fail(checked.error());
      patch[key] = value;
    }
  }
  return patch;
}

}  // namespace

Result<json::Value> apply_merge_patch(json::Value document, const json::Value& patch,
                                      const PatchLimits& limits) {
  if (Measure::of(patch, limits.depth).depth > limits.depth) {
    return fail(ErrorCode::too_large,
                "the merge patch is nested deeper than " + std::to_string(limits.depth));
  }
  merge(document, patch);
  return document;
}

Result<json::Object> merge_patch_between(const json::Object& from, const json::Object& to) {
  return difference(from, to, {});
}

}  // namespace fairway::k8s
