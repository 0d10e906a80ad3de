// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/check_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/go_text.h"
#include "schema/internal/go_text.h"

namespace fairway::schema::internal {

namespace {

/// The value as the API server holds it: integers beyond int64 are floating-point numbers there.
struct Number {
  bool is_integer = false;
  std::int64_t integer = 0;
  double value = 0;

  explicit Number(const json::Value& from)
      : is_integer(from.is_int64()),
        integer(is_integer ? from.get_int64() : 0),
        value(from.to_number<double>()) {}
  json::Value shown() const { return is_integer ? json::Value(integer) : json::Value(value); }
};

/// Returns a limit rounded towards zero; limits beyond int64 become the nearest value in it.
std::int64_t as_integer(double limit) {
  if (limit >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  if (limit < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(limit);
}

bool is_in_range(const Node& node, double value) {
  if (node.types == type::integer) {
    if (std::trunc(value) != value) return false;
    return node.format == "int32" ? value >= -0x1p31 && value < 0x1p31 : value >= -0x1p63 && value < 0x1p63;
  }
  return node.format != "float" || std::isfinite(static_cast<float>(value));
}

class NumberCheck {
 public:
  NumberCheck(const Node& node, const json::Value& value, const Place& place, Report* report)
      : node_(node), number_(value), place_(place), report_(report) {}

  bool run() {
    // As a floating-point number the largest integer would be one too large.
    const bool is_any_integer = number_.is_integer && node_.format != "int32";
    bool ok = is_any_integer || check_range("Checked", number_.value);
    if (node_.multiple_of) ok = check_multiple(*node_.multiple_of) && ok;
    if (node_.maximum) ok = check_maximum(*node_.maximum) && ok;
    // The order in which the API server names them.
    if (node_.minimum) ok = check_minimum(*node_.minimum) && ok;
    return ok;
  }

 private:
  bool check_range(std::string_view what, double value) {
    if (is_in_range(node_, value)) return true;
    if (report_ != nullptr) {
      report_->add_without_field(
          std::string(what) + " value must be of type " + node_.type_name +
          (node_.format.empty() ? " (default format)" : " with format " + node_.format) + " in " +
          place_.in_body());
    }
    return false;
  }

  bool fail(const json::Value& shown, const std::string& what) {
    if (report_ != nullptr) {
      const std::string name = place_.in_body();
      report_->add(invalid(report_->path(name), shown, name + " in body should be " + what));
    }
    return false;
  }

  bool check_multiple(double factor) {
    const bool fits = check_range("MultipleOf", factor);
    if (fits && number_.is_integer) {
      const std::int64_t step = as_integer(factor);
      if (step <= 0) return fail_step(json::Value(step));
      return (number_.integer % step == 0 ||
              fail(number_.shown(), "a multiple of " + std::to_string(step))) &&
             fits;
    }
    if (factor <= 0) return fail_step(json::Value(factor));
    const double times = factor < 1 ? 1 / factor * number_.value : number_.value / factor;
    return (is_json_integer(times) ||
            fail(json::Value(number_.value), "a multiple of " + go_number(factor))) &&
           fits;
  }

  bool fail_step(const json::Value& step) {
    if (report_ != nullptr) {
      const std::string name = place_.in_body();
      report_->add(
          invalid(report_->path(name), step,
                  "factor MultipleOf declared for " + name + " must be positive: " + go_value(step)));
    }
    return false;
  }

  bool check_maximum(double most) {
    const bool fits = check_range("Maximum boundary", most);
    const std::string_view words = node_.exclusive_maximum ? "less than " : "less than or equal to ";
    if (fits && number_.is_integer) {
      const std::int64_t limit = as_integer(most);
      const bool ok = node_.exclusive_maximum ? number_.integer < limit : number_.integer <= limit;
      return ok || fail(number_.shown(), std::string(words) + std::to_string(limit));
    }
    const bool ok = node_.exclusive_maximum ? number_.value < most : number_.value <= most;
    return (ok || fail(json::Value(number_.value), std::string(words) + go_number(most))) && fits;
  }

  bool check_minimum(double least) {
    const bool fits = check_range("Minimum boundary", least);
    const std::string_view words = node_.exclusive_minimum ? "greater than " : "greater than or equal to ";
    if (fits && number_.is_integer) {
      const std::int64_t limit = as_integer(least);
      const bool ok = node_.exclusive_minimum ? number_.integer > limit : number_.integer >= limit;
      return ok || fail(number_.shown(), std::string(words) + std::to_string(limit));
    }
    const bool ok = node_.exclusive_minimum ? number_.value > least : number_.value >= least;
    return (ok || fail(json::Value(number_.value), std::string(words) + go_number(least))) && fits;
  }

  const Node& node_;
  Number number_;
  const Place& place_;
  Report* report_;
};

}  // namespace

bool is_json_integer(double value) {
  // swag.IsFloat64AJSONInteger: what lies so close to an integer that the difference may come of arithmetic
  // is one, and nothing beyond 2^53 - 1 is. That comes from the cast to an unsigned integer: it holds for
  // positive values only.
  if (!(std::abs(value) <= 0x1p53 - 1)) return false;
  if (std::trunc(value) == value) return true;
  if (value < 1) return false;
  const double whole = std::trunc(value);
  return (value - whole) / (value + whole) < 1e-9;
}

bool check_number(const Node& node, const json::Value& value, const Place& place, Report* report) {
  return NumberCheck(node, value, place, report).run();
}

}  // namespace fairway::schema::internal
