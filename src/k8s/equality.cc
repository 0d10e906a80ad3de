// SPDX-License-Identifier: Apache-2.0

#include "k8s/equality.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>

#include "k8s/view.h"

namespace fairway::k8s {

namespace {

enum class Null { is_a_value, is_absent };

bool is_there(const json::Value* value, Null null) {
  return value != nullptr && (null == Null::is_a_value || !value->is_null());
}

/// Returns whether a double equals an integer. Converting the integer to double would be wrong: 2^53 + 1 is
/// not 2^53.
template <class Integer>
bool same_number(double a, Integer b) {
  return std::trunc(a) == a && a >= -0x1p63 && a < 0x1p64 &&
         (a < 0 ? std::cmp_equal(static_cast<std::int64_t>(a), b)
                : std::cmp_equal(static_cast<std::uint64_t>(a), b));
}

bool same_numbers(const json::Value& a, const json::Value& b) {
  if (a.is_double() && b.is_double()) return a.get_double() == b.get_double();
  if (b.is_double()) return same_numbers(b, a);
  if (a.is_double()) {
    return b.is_int64() ? same_number(a.get_double(), b.get_int64())
                        : same_number(a.get_double(), b.get_uint64());
  }
  if (a.is_int64() == b.is_int64()) {
    return a.is_int64() ? a.get_int64() == b.get_int64() : a.get_uint64() == b.get_uint64();
  }
  return a.is_int64() ? std::cmp_equal(a.get_int64(), b.get_uint64())
                      : std::cmp_equal(a.get_uint64(), b.get_int64());
}

bool same(const json::Value& a, const json::Value& b, Null null);

bool same_objects(const json::Object& a, const json::Object& b, Null null) {
  if (null == Null::is_a_value && a.size() != b.size()) return false;
  std::size_t members = 0;
  for (const auto& [key, value] : a) {
    if (!is_there(&value, null)) continue;
    ++members;
    const json::Value* other = b.if_contains(key);
    if (!is_there(other, null) || !same(value, *other, null)) return false;
  }
  return null == Null::is_a_value ||
         members == static_cast<std::size_t>(std::ranges::count_if(
                        b, [&](const auto& member) { return is_there(&member.value(), null); }));
}

bool same(const json::Value& a, const json::Value& b, Null null) {
  if (a.is_number() && b.is_number()) return same_numbers(a, b);
  if (a.is_object() && b.is_object()) return same_objects(a.get_object(), b.get_object(), null);
  if (a.is_array() && b.is_array()) {
    return std::ranges::equal(a.get_array(), b.get_array(),
                              [&](const json::Value& x, const json::Value& y) { return same(x, y, null); });
  }
  if (a.is_string() && b.is_string()) return a.get_string() == b.get_string();
  if (a.is_bool() && b.is_bool()) return a.get_bool() == b.get_bool();
  return a.is_null() && b.is_null();
}

}  // namespace

bool equal(const json::Value& a, const json::Value& b) {
  return same(a, b, Null::is_a_value);
}

bool equal_with_null_as_absent(const json::Value& a, const json::Value& b) {
  return same(a, b, Null::is_absent);
}

bool equal_with_null_as_absent(const json::Value* a, const json::Value* b) {
  const json::Value null;
  return equal_with_null_as_absent(a != nullptr ? *a : null, b != nullptr ? *b : null);
}

bool equal_with_null_as_absent(const View& a, const View& b, std::string_view path) {
  return equal_with_null_as_absent(a.find(path), b.find(path));
}

}  // namespace fairway::k8s
