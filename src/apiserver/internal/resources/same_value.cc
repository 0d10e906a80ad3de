// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/same_value.h"

#include <algorithm>

#include "k8s/equality.h"

namespace fairway::apiserver::resources {
namespace {

bool is_nothing(const json::Value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (const json::Object* object = value->if_object()) {
    return std::ranges::all_of(*object, [](const auto& member) { return is_nothing(&member.value()); });
  }
  const json::Array* list = value->if_array();
  return list != nullptr && list->empty();
}

/// Returns whether all members of `a` have the same value in `b`.
bool covers(const json::Object& a, const json::Object& b) {
  return std::ranges::all_of(
      a, [&](const auto& member) { return same_value(&member.value(), b.if_contains(member.key())); });
}

}  // namespace

bool same_value(const json::Value* a, const json::Value* b) {
  if (is_nothing(a) || is_nothing(b)) return is_nothing(a) && is_nothing(b);
  if (a->is_object() && b->is_object()) {
    return covers(a->get_object(), b->get_object()) && covers(b->get_object(), a->get_object());
  }
  if (a->is_array() && b->is_array()) {
    return std::ranges::equal(
        a->get_array(), b->get_array(),
        [](const json::Value& one, const json::Value& other) { return same_value(&one, &other); });
  }
  return k8s::equal(*a, *b);
}

bool same_at(const k8s::View& a, const k8s::View& b, std::string_view path) {
  return same_value(a.find(path), b.find(path));
}

json::Value value_at(const k8s::View& object, std::string_view path) {
  const json::Value* found = object.find(path);
  return found != nullptr ? *found : json::Value();
}

}  // namespace fairway::apiserver::resources
