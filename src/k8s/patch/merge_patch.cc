#include "k8s/patch/merge_patch.h"

#include <algorithm>
#include <string>

#include "k8s/equality.h"
#include "k8s/members.h"

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

bool is_there(const json::Value* value) {
  return value != nullptr && !value->is_null();
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

json::Object merge_patch_between(const json::Object& from, const json::Object& to) {
  json::Object patch;
  for (const auto& [key, value] : from) {
    if (!value.is_null() && !is_there(to.if_contains(key))) patch[key] = nullptr;
  }
  for (const auto& [key, value] : to) {
    if (value.is_null()) continue;
    const json::Value* before = from.if_contains(key);
    if (is_there(before) && before->is_object() && value.is_object()) {
      json::Object inner = merge_patch_between(before->get_object(), value.get_object());
      if (!inner.empty()) patch[key] = std::move(inner);
    } else if (!is_there(before) || !equal(*before, value)) {
      patch[key] = value;
    }
  }
  return patch;
}

}  // namespace fairway::k8s
