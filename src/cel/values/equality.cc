// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/values/map.h"
#include "cel/internal/values/numbers.h"
#include "cel/internal/values/opaque.h"
#include "cel/values/value.h"

namespace fairway::cel {

namespace {

/// Returns whether each item of `a` is in `b`.
bool all_in(const Value& a, const Value& b, Scratch& scratch) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool found = false;
    for (std::size_t j = 0; j < b.size() && !found; ++j)
      found = equal(a.at(i, scratch), b.at(j, scratch), scratch);
    if (!found) return false;
  }
  return true;
}

bool same_keys(const json::Value& a, const json::Value& b, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const json::Value* x = json::find(a, key);
    const json::Value* y = json::find(b, key);
    if (!x != !y || (x && *x != *y)) return false;
  }
  return true;
}

/// Returns whether two lists are equal if items are paired by their keys, whatever their order.
bool equal_by_keys(const Value& a, const Value& b, Scratch& scratch) {
  const std::vector<std::string>& keys = a.declared()->keys;
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool found = false;
    for (std::size_t j = 0; j < b.size() && !found; ++j)
      found =
          same_keys(a.array()[i], b.array()[j], keys) && equal(a.at(i, scratch), b.at(j, scratch), scratch);
    if (!found) return false;
  }
  return true;
}

bool equal_lists(const Value& a, const Value& b, Scratch& scratch) {
  if (a.size() != b.size()) return false;
  const Type* type = a.declared();
  if (type && type->equality == ListEquality::set) return all_in(a, b, scratch) && all_in(b, a, scratch);
  if (type && type->equality == ListEquality::map && b.in_document()) return equal_by_keys(a, b, scratch);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!equal(a.at(i, scratch), b.at(i, scratch), scratch)) return false;
  return true;
}

bool equal_maps(const Value& a, const Value& b, Scratch& scratch) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::optional<Value> other = b.find(a.key_at(i), scratch);
    if (!other || !equal(a.value_at(i, scratch), *other, scratch)) return false;
  }
  return true;
}

bool equal_objects(const Value& a, const Value& b, Scratch& scratch) {
  if (a.declared()->name != b.declared()->name || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const json::Value* other =
        b.members().if_contains((a.members().begin() + static_cast<std::ptrdiff_t>(i))->key());
    if (!other) return false;
  }
  for (const auto& [name, field] : a.declared()->fields) {
    const std::optional<Value> x = a.find(name, scratch);
    const std::optional<Value> y = b.find(name, scratch);
    if (x.has_value() != y.has_value() || (x && !equal(*x, *y, scratch))) return false;
  }
  return true;
}

}  // namespace

bool equal(const Value& a, const Value& b, Scratch& scratch) {
  if (is_number(a) && is_number(b)) return compare_numbers(a, b) == std::partial_ordering::equivalent;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::null_value:
      return true;
    case ValueKind::boolean:
      return a.boolean() == b.boolean();
    case ValueKind::string:
    case ValueKind::bytes:
      return a.text() == b.text();
    case ValueKind::timestamp:
      return a.timestamp().seconds == b.timestamp().seconds &&
             a.timestamp().nanoseconds == b.timestamp().nanoseconds;
    case ValueKind::duration:
      return a.nanoseconds() == b.nanoseconds();
    case ValueKind::list:
      return equal_lists(a, b, scratch);
    case ValueKind::map:
      return equal_maps(a, b, scratch);
    case ValueKind::object:
      return equal_objects(a, b, scratch);
    case ValueKind::type:
      return name_of(a.type()) == name_of(b.type());
    case ValueKind::optional:
      if (!a.inside() || !b.inside()) return !a.inside() && !b.inside();
      return equal(*a.inside(), *b.inside(), scratch);
    case ValueKind::opaque:
      return equal_opaque(a.opaque(), b.opaque());
    default:
      return false;
  }
}

}  // namespace fairway::cel
