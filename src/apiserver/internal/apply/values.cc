// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/values.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/go_text.h"
#include "base/quoted_text.h"

namespace fairway::apiserver::apply::internal {

namespace {

/// Returns the value of a number that Go's decoder reads as an int64; larger integers become floats there.
const std::int64_t* integer_of(const json::Value& value, std::int64_t& storage) {
  if (const std::int64_t* number = value.if_int64()) return number;
  const std::uint64_t* number = value.if_uint64();
  if (number == nullptr || *number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return nullptr;
  storage = static_cast<std::int64_t>(*number);
  return &storage;
}

double float_of(const json::Value& value) {
  if (const double* number = value.if_double()) return *number;
  if (const std::uint64_t* number = value.if_uint64()) return static_cast<double>(*number);
  return static_cast<double>(value.as_int64());
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int compare_numbers(const json::Value& a, const json::Value& b) {
  std::int64_t a_storage = 0, b_storage = 0;
  const std::int64_t* a_integer = integer_of(a, a_storage);
  const std::int64_t* b_integer = integer_of(b, b_storage);
  if (a_integer != nullptr && b_integer != nullptr) return order(*a_integer, *b_integer);
  return order(float_of(a), float_of(b));
}

/// Returns the place of a value's type in the order.
int rank(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
      return 0;
    case boost::json::kind::string:
      return 1;
    case boost::json::kind::bool_:
      return 2;
    case boost::json::kind::array:
      return 3;
    case boost::json::kind::object:
      return 4;
    case boost::json::kind::null:
      return 5;
  }
  return 5;
}

using Member = std::pair<std::string_view, const json::Value*>;

std::vector<Member> sorted_members(const json::Object& object) {
  std::vector<Member> members;
  members.reserve(object.size());
  for (const auto& member : object) members.emplace_back(member.key(), &member.value());
  std::ranges::sort(members, {}, &Member::first);
  return members;
}

int compare_lists(const json::Array& a, const json::Array& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const int difference = compare(a[i], b[i]); difference != 0) return difference;
  }
  return order(a.size(), b.size());
}

int compare_objects(const json::Object& a, const json::Object& b) {
  const std::vector<Member> left = sorted_members(a), right = sorted_members(b);
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (left[i].first != right[i].first) return left[i].first < right[i].first ? -1 : 1;
    if (const int difference = compare(*left[i].second, *right[i].second); difference != 0) return difference;
  }
  return order(left.size(), right.size());
}

bool equal_objects(const json::Object& a, const json::Object& b) {
  if (a.size() != b.size()) return false;
  std::size_t i = 0;
  for (const auto& member : a) {
    // Most often both have their members in one order.
    const auto beside = b.begin() + static_cast<std::ptrdiff_t>(i++);
    const json::Value* other = beside->key() == member.key() ? &beside->value() : b.if_contains(member.key());
    if (other == nullptr || !equal(member.value(), *other)) return false;
  }
  return true;
}

std::string number_text(const json::Value& value) {
  std::int64_t storage = 0;
  const std::int64_t* integer = integer_of(value, storage);
  return integer != nullptr ? std::to_string(*integer) : go_number(float_of(value));
}

}  // namespace

bool equal(const json::Value& a, const json::Value& b) {
  const int kind = rank(a);
  if (kind != rank(b)) return false;
  switch (kind) {
    case 0:
      return compare_numbers(a, b) == 0;
    case 1:
      return a.get_string() == b.get_string();
    case 2:
      return a.get_bool() == b.get_bool();
    case 3:
      return std::ranges::equal(a.get_array(), b.get_array(), equal);
    case 4:
      return equal_objects(a.get_object(), b.get_object());
    default:
      return true;
  }
}

int compare(const json::Value& a, const json::Value& b) {
  const int kind = rank(a);
  if (kind != rank(b)) return order(kind, rank(b));
  switch (kind) {
    case 0:
      return compare_numbers(a, b);
    case 1:
      return order(std::string_view(a.get_string()), std::string_view(b.get_string()));
    case 2:
      return order(a.get_bool(), b.get_bool());
    case 3:
      return compare_lists(a.get_array(), b.get_array());
    case 4:
      return compare_objects(a.get_object(), b.get_object());
    default:
      return 0;
  }
}

std::string to_string(const json::Value& value) {
  if (const auto* text = value.if_string()) return quote(*text);
  if (const json::Array* list = value.if_array()) {
    std::string out = "[";
    for (const json::Value& item : *list) out += (out.size() > 1 ? "," : "") + to_string(item);
    return out + "]";
  }
  if (const json::Object* object = value.if_object()) {
    std::string out;
    for (const auto& [key, member] : sorted_members(*object))
      out += std::string(key) + "=" + to_string(*member);
    return out;
  }
  return value.is_null() ? "null" : go_text(value);
}

std::string go_text(const json::Value& value) {
  switch (rank(value)) {
    case 0:
      return number_text(value);
    case 1:
      return std::string(value.get_string());
    case 2:
      return value.get_bool() ? "true" : "false";
    case 3: {
      std::string out = "[";
      for (const json::Value& item : value.get_array()) out += (out.size() > 1 ? " " : "") + go_text(item);
      return out + "]";
    }
    case 4: {
      std::string out = "map[";
      for (const auto& [key, member] : sorted_members(value.get_object())) {
        if (out.size() > 4) out += ' ';
        out += std::string(key) + ":" + go_text(*member);
      }
      return out + "]";
    }
    default:
      return "<nil>";
  }
}

std::string go_syntax(const json::Value& value) {
  switch (rank(value)) {
    case 1:
      return quote(value.get_string());
    case 3: {
      std::string out = "[]interface {}{";
      bool first = true;
      for (const json::Value& item : value.get_array()) {
        out += (std::exchange(first, false) ? "" : ", ") + go_syntax(item);
      }
      return out + "}";
    }
    case 4: {
      std::string out = "map[string]interface {}{";
      bool first = true;
      for (const auto& [key, member] : sorted_members(value.get_object())) {
        out += (std::exchange(first, false) ? "" : ", ") + quote(key) + ":" + go_syntax(*member);
      }
      return out + "}";
    }
    case 5:
      return "interface {}(nil)";
    default:
      return go_text(value);
  }
}

std::string go_type(const json::Value& value) {
  switch (rank(value)) {
    case 0:
      return value.is_double() ? "float64" : "int64";
    case 1:
      return "string";
    case 2:
      return "bool";
    case 3:
      return "[]interface {}";
    case 4:
      return "map[string]interface {}";
    default:
      return "<nil>";
  }
}

}  // namespace fairway::apiserver::apply::internal
