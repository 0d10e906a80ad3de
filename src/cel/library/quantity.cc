// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/library/quantity.h"

#include <algorithm>
#include <new>

#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

constexpr Nano unit = 1'000'000'000;
constexpr Nano largest = static_cast<Nano>(INT64_MAX) * unit;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads the suffix as a power of two and a power of ten; false for text that is none.
bool read_suffix(std::string_view suffix, int& binary, int& decimal) {
  binary = decimal = 0;
  if (suffix.empty()) return true;
  static constexpr std::string_view binaries[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  for (int i = 0; i < 6; ++i)
    if (suffix == binaries[i]) {
      binary = 10 * (i + 1);
      return true;
    }
  static constexpr std::string_view decimals = "num kMGTPE";
  if (suffix.size() == 1 && suffix != " ") {
    const std::size_t at = decimals.find(suffix[0]);
    if (at != std::string_view::npos) {
      decimal = 3 * static_cast<int>(at) - 9;
      return true;
    }
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return false;
  suffix.remove_prefix(1);
  const bool negative = suffix.starts_with('-');
  if (negative || suffix.starts_with('+')) suffix.remove_prefix(1);
  if (suffix.empty() || suffix.size() > 4) return false;
  for (const char c : suffix) {
    if (!is_digit(c)) return false;
    decimal = decimal * 10 + (c - '0');
  }
  if (negative) decimal = -decimal;
  return true;
}

Value made(CallContext& context, Nano nano, bool whole) {
  void* place = context.scratch().allocate(sizeof(QuantityValue));
  if (!place) return context.out_of_memory();
  auto* quantity = new (place) QuantityValue;
  quantity->kind = Opaque::Kind::quantity;
  quantity->nano = nano;
  quantity->whole = whole;
  return Value::opaque(quantity);
}

Nano nano_of(const Value& value) {
  return static_cast<const QuantityValue&>(value.opaque()).nano;
}

/// Returns whether Kubernetes keeps a valid quantity as an int64: no fraction, no suffix below 1, few digits.
bool is_whole(std::string_view text) {
  const std::size_t digits = static_cast<std::size_t>(std::ranges::count_if(text, is_digit));
  const std::size_t end = text.find_first_not_of("+-.0123456789");
  const std::string_view suffix = end == std::string_view::npos ? "" : text.substr(end);
  int binary = 0, decimal = 0;
  read_suffix(suffix, binary, decimal);
  const bool fraction = text.substr(0, end).find('.') != std::string_view::npos;
  if (binary > 0) return !fraction && 15 - static_cast<int>(digits) - binary * 3 / 10 - 1 >= 0;
  return !fraction && decimal >= 0 && digits <= 18;
}

Value quantity(CallContext& context, const Value* a) {
  const std::optional<Nano> nano = parse_quantity(a[0].text());
  if (!nano)
    return context.error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return made(context, *nano, is_whole(a[0].text()));
}
Value is_quantity(CallContext&, const Value* a) {
  return Value::boolean(parse_quantity(a[0].text()).has_value());
}
Value sign(CallContext&, const Value* a) {
  const Nano nano = nano_of(a[0]);
  return Value::integer(nano > 0 ? 1 : nano < 0 ? -1 : 0);
}
Value is_greater(CallContext&, const Value* a) {
  return Value::boolean(nano_of(a[0]) > nano_of(a[1]));
}
Value is_less(CallContext&, const Value* a) {
  return Value::boolean(nano_of(a[0]) < nano_of(a[1]));
}
Value compare_to(CallContext&, const Value* a) {
  const Nano x = nano_of(a[0]), y = nano_of(a[1]);
  return Value::integer(x < y ? -1 : x > y ? 1 : 0);
}
Value as_float(CallContext&, const Value* a) {
  const Nano nano = nano_of(a[0]), whole = nano / unit;
  return Value::floating(whole * unit == nano ? static_cast<double>(whole) : static_cast<double>(nano) / 1e9);
}
bool is_int64(const Value& value) {
  const Nano nano = nano_of(value);
  return static_cast<const QuantityValue&>(value.opaque()).whole && nano % unit == 0 && nano <= largest &&
         nano >= -largest - unit;
}
Value is_integer(CallContext&, const Value* a) {
  return Value::boolean(is_int64(a[0]));
}
Value as_integer(CallContext& context, const Value* a) {
  const Nano nano = nano_of(a[0]);
  if (!is_int64(a[0])) return context.error("cannot convert value to integer");
  return Value::integer(static_cast<std::int64_t>(nano / unit));
}
Value sum(CallContext& context, const Value& a, Nano b, bool b_whole) {
  Nano result = 0;
  if (__builtin_add_overflow(nano_of(a), b, &result)) return context.error("quantity overflow");
  const bool a_whole = static_cast<const QuantityValue&>(a.opaque()).whole;
  const bool whole = nano_of(a) == 0 ? b_whole : b == 0 ? a_whole : a_whole && b_whole;
  return made(context, result, whole);
}
Value add(CallContext& context, const Value* a) {
  return sum(context, a[0], nano_of(a[1]), static_cast<const QuantityValue&>(a[1].opaque()).whole);
}
Value add_int(CallContext& context, const Value* a) {
  return sum(context, a[0], static_cast<Nano>(a[1].integer()) * unit, true);
}
Value subtract(CallContext& context, const Value* a) {
  return sum(context, a[0], -nano_of(a[1]), static_cast<const QuantityValue&>(a[1].opaque()).whole);
}
Value subtract_int(CallContext& context, const Value* a) {
  return sum(context, a[0], -(static_cast<Nano>(a[1].integer()) * unit), true);
}

#define FAIRWAY_Q "kubernetes.Quantity"
constexpr Overload quantity_rows[] = {
    {"quantity", false, "string -> " FAIRWAY_Q, quantity, CallCost::traverse},
    {"isQuantity", false, "string -> bool", is_quantity, CallCost::traverse},
    // Not a member, as in Kubernetes.
    {"sign", false, FAIRWAY_Q " -> int", sign},
    {"isGreaterThan", true, FAIRWAY_Q ", " FAIRWAY_Q " -> bool", is_greater},
    {"isLessThan", true, FAIRWAY_Q ", " FAIRWAY_Q " -> bool", is_less},
    {"compareTo", true, FAIRWAY_Q ", " FAIRWAY_Q " -> int", compare_to},
    {"asApproximateFloat", true, FAIRWAY_Q " -> double", as_float},
    {"asInteger", true, FAIRWAY_Q " -> int", as_integer},
    {"isInteger", true, FAIRWAY_Q " -> bool", is_integer},
    {"add", true, FAIRWAY_Q ", " FAIRWAY_Q " -> " FAIRWAY_Q, add},
    {"add", true, FAIRWAY_Q ", int -> " FAIRWAY_Q, add_int},
    {"sub", true, FAIRWAY_Q ", " FAIRWAY_Q " -> " FAIRWAY_Q, subtract},
    {"sub", true, FAIRWAY_Q ", int -> " FAIRWAY_Q, subtract_int},
};
#undef FAIRWAY_Q

}  // namespace

std::optional<Nano> parse_quantity(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::size_t digits = 0;
  bool point = false;
  while (digits < text.size() && (is_digit(text[digits]) || (text[digits] == '.' && !point)))
    point |= text[digits++] == '.';
  const std::string_view number = text.substr(0, digits);
  if (number.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  int binary = 0, decimal = 0;
  if (!read_suffix(text.substr(digits), binary, decimal)) return std::nullopt;
  // value * 10^scale; digits beyond what counts only say whether something is left.
  Nano value = 0;
  int scale = decimal + 9;
  bool fraction = false;
  bool rest = false;
  constexpr Nano room = static_cast<Nano>(1) << 90;
  for (const char c : number) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    if (value > room) {
      rest |= c != '0';
      if (!fraction) ++scale;
      continue;
    }
    value = value * 10 + (c - '0');
    if (fraction) --scale;
  }
  if (value == 0) return 0;
  for (; scale > 0 && value <= largest; --scale) value *= 10;
  // The binary factor first, or its bits would be lost with the digits.
  int shift = binary;
  for (; shift > 0 && scale >= 0 && value <= largest; --shift) value *= 2;
  while (scale < 0) {
    for (; shift > 0 && value < (room << 20); --shift) value *= 2;
    rest |= value % 10 != 0;
    value /= 10;
    ++scale;
  }
  for (; shift > 0 && value <= largest; --shift) value *= 2;
  if (rest) ++value;
  if (scale > 0 || shift > 0 || value > largest) value = largest;
  return negative ? -value : value;
}

std::string quantity_text(const QuantityValue& quantity) {
  const bool negative = quantity.nano < 0;
  const auto size = negative ? -static_cast<unsigned __int128>(quantity.nano)
                             : static_cast<unsigned __int128>(quantity.nano);
  std::string digits;
  for (unsigned __int128 rest = size; rest != 0 || digits.size() < 10; rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  std::string text = digits.substr(0, digits.size() - 9);
  std::string fraction = digits.substr(digits.size() - 9);
  while (fraction.ends_with('0')) fraction.pop_back();
  if (!fraction.empty()) text += "." + fraction;
  return (negative ? "-" : "") + text;
}

std::span<const Overload> quantity_overloads() {
  return quantity_rows;
}

}  // namespace fairway::cel
