// SPDX-License-Identifier: Apache-2.0

// Costs of calls, by the sizes of the values that they read: cel-go's interpreter/runtimecost.go and
// ext/lists.go, Kubernetes's pkg/cel/library/cost.go.
#include <algorithm>

#include "cel/internal/eval/evaluation.h"
#include "cel/internal/library/format.h"
#include "cel/internal/library/network.h"
#include "cel/internal/syntax/utf8.h"

namespace fairway::cel {

namespace {

constexpr double per_character = 0.1;
constexpr double per_regex_character = 0.25;
constexpr std::uint64_t list_base = 10;
constexpr std::uint64_t authorization_cost = 350'000;

/// Returns a fraction of a size, rounded up. It does not use std::ceil, which is a call unless SSE 4.1 is
/// available.
std::uint64_t part(double size, double factor) {
  const double exact = size * factor;
  const auto whole = static_cast<std::uint64_t>(exact);
  return static_cast<double>(whole) < exact ? whole + 1 : whole;
}

std::uint64_t regex_cost(std::uint64_t text, std::uint64_t pattern) {
  return part(1.0 + static_cast<double>(text), per_character) *
         part(static_cast<double>(pattern), per_regex_character);
}

/// Returns the cost of visiting each value in a list or map; text costs a tenth of its bytes.
std::uint64_t traversal(const Value& value, Scratch& scratch) {
  switch (value.kind()) {
    case ValueKind::string:
    case ValueKind::bytes:
      return static_cast<std::uint64_t>(static_cast<double>(value.text().size()) * per_character);
    case ValueKind::list: {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < value.size(); ++i) sum += traversal(value.at(i, scratch), scratch);
      return sum;
    }
    case ValueKind::map:
    case ValueKind::object: {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < value.size(); ++i)
        sum += traversal(value.key_at(i), scratch) + traversal(value.value_at(i, scratch), scratch);
      return sum;
    }
    default:
      return 1;
  }
}

}  // namespace

std::uint64_t cost_size(const Value& value) {
  switch (value.kind()) {
    case ValueKind::string:
      return count_code_points(value.text());
    case ValueKind::bytes:
      return value.text().size();
    case ValueKind::list:
    case ValueKind::map:
      return value.size();
    case ValueKind::optional:
      return value.inside() ? cost_size(*value.inside()) : 1;
    case ValueKind::opaque:
      return network_size(value.opaque());
    default:
      return 1;
  }
}

std::uint64_t Evaluation::call_cost(CallCost cost, const Value* arguments, std::size_t count,
                                    const Value& result) const {
  const auto size = [&](std::size_t i) { return static_cast<double>(cost_size(arguments[i])); };
  const auto of_list = [&](double factor, double items) {
    return static_cast<std::uint64_t>(items * factor) + 1 + list_base;
  };
  switch (cost) {
    case CallCost::nothing:
      return 0;
    case CallCost::unit:
      return 1;
    case CallCost::traverse:
    case CallCost::url:
      return part(size(0), per_character);
    case CallCost::affix:
      return part(size(1), per_character);
    case CallCost::authorization:
      return authorization_cost;
    case CallCost::traverse_twice:
    case CallCost::replace:
    case CallCost::split:
      return part(size(0), 2 * per_character);
    case CallCost::join:
      return part(static_cast<double>(cost_size(result)), 2 * per_character);
    case CallCost::equality:
      if (arguments[0].is(ValueKind::opaque)) return 1;
      [[fallthrough]];
    case CallCost::compare:
      return part(std::min(size(0), size(1)), per_character);
    case CallCost::concatenate:
      return part(size(0) + size(1), per_character);
    case CallCost::in_list:
      return cost_size(arguments[1]);
    case CallCost::regex:
    case CallCost::find:
      return regex_cost(cost_size(arguments[0]), cost_size(arguments[1]));
    case CallCost::contains:
      return part(size(0), per_character) * part(size(1), per_character);
    case CallCost::traverse_deep:
      return traversal(arguments[0], scratch_);
    case CallCost::contains_ip:
      return part(2 * size(0), per_character);
    case CallCost::contains_ip_text:
      return part(2 * size(0), per_character) + part(size(1), per_character);
    case CallCost::contains_cidr:
      return part(2 * size(0), per_character) + part(size(0), per_character) + 1;
    case CallCost::contains_cidr_text:
      return part(2 * size(0), per_character) + part(size(0), per_character) + 1 +
             part(size(1), per_character);
    case CallCost::validate_format:
      return regex_cost(cost_size(arguments[1]), format_pattern_size(arguments[0].opaque()));
    case CallCost::list_output:
      return of_list(1, static_cast<double>(cost_size(result)));
    case CallCost::list_flatten:
      return of_list(count == 2 ? static_cast<double>(arguments[1].integer()) : 1, size(0));
    case CallCost::list_distinct:
    case CallCost::list_sort: {
      if (arguments[0].size() == 0) return of_list(2, 0);
      const Value first = arguments[0].at(0, scratch_);
      const bool text = first.is(ValueKind::string) || first.is(ValueKind::bytes);
      return of_list(text ? 2 + per_character : 2, size(0) * size(0));
    }
    case CallCost::sets:
      return 1 + static_cast<std::uint64_t>(size(0) * size(1));
    case CallCost::sets_equivalent:
      return 1 + static_cast<std::uint64_t>(size(0) * size(1) * 2);
  }
  return 1;
}

}  // namespace fairway::cel
