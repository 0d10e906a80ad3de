// SPDX-License-Identifier: Apache-2.0

// Estimated costs of calls, by the sizes of their arguments.
#include <cmath>

#include "cel/internal/cost/estimator.h"

namespace fairway::cel {

namespace {

constexpr double per_character = 0.1;
constexpr double per_regex_character = 0.25;
constexpr std::uint64_t authorization_cost = 350'000;
/// Size that Kubernetes assumes for the regular expression of any format.
constexpr double format_pattern = 128;

/// Returns the value of an int literal.
std::optional<std::int64_t> literal_integer(const Argument& part) {
  const auto* literal = part.expression ? std::get_if<Literal>(&part.expression->node) : nullptr;
  const auto* value = literal ? std::get_if<std::int64_t>(&literal->value) : nullptr;
  return value ? std::optional(*value) : std::nullopt;
}
std::uint64_t integer_or(const Argument& part, std::uint64_t otherwise) {
  const std::optional<std::int64_t> value = literal_integer(part);
  return value ? static_cast<std::uint64_t>(std::max<std::int64_t>(*value, 0)) : otherwise;
}

CostEstimate of_list(double factor, SizeRange size) {
  return size * factor + exactly(11);
}

bool is_text(TypeKind kind) {
  return kind == TypeKind::string || kind == TypeKind::bytes;
}

/// Returns the size of a string after `replace`.
SizeRange replaced_size(SizeRange text, SizeRange from, SizeRange to) {
  SizeRange count, kept;
  if (from.min == 0) {
    // An empty text is replaced between all characters.
    count.max = plus(text.max, 1);
    kept.max = text.max;
  } else if (to.max <= from.min) {
    kept.max = text.max;
  } else {
    count.max = scaled(text.max, 1.0 / static_cast<double>(from.min));
  }
  if (from.max == 0) {
    count.min = plus(text.min, 1);
    kept.min = text.min;
  } else if (from.max <= to.min) {
    kept.min = text.min;
  } else {
    count.min =
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(text.min) / static_cast<double>(from.max)));
  }
  return count * to + kept;
}

}  // namespace

SizeRange Estimator::element_size(const Argument& list) const {
  if (list.path.empty()) return {0, unbounded};
  return limit_at(list.path.detached().extended(items_step)).value_or(SizeRange{0, unbounded});
}

Estimator::CallResult Estimator::cost_of_equality(const std::vector<Argument>& arguments) {
  const SizeRange a = arguments[0].size_or_unbounded();
  const SizeRange b = arguments[1].size_or_unbounded();
  const Type& type = *arguments[0].type;
  if (type.kind == TypeKind::opaque && same_type(type, *arguments[1].type)) {
    if (type.name == "kubernetes.NamedFormat") return {CostEstimate{1, 64} * per_character, {}};
    if (type.name == "kubernetes.URL") {
      const std::uint64_t most = arguments[1].size ? b.max : 1;
      return {CostEstimate{1, most} * per_character, {}};
    }
    return {exactly(1), {}};
  }
  const std::uint64_t most = std::min(a.max, b.max);
  return {CostEstimate{most > 0 ? 1u : 0u, most} * per_character, {}};
}

Estimator::CallResult Estimator::cost_of_text(const FunctionOverload& overload,
                                              const std::vector<Argument>& arguments) const {
  const auto size = [&](std::size_t i) { return arguments[i].size_or_unbounded(); };
  const std::string_view name = overload.declared.function;
  switch (overload.declared.cost) {
    case CallCost::affix:
      return {size(1) * per_character, {}};
    case CallCost::traverse: {
      const SizeRange text = size(0);
      const CostEstimate cost = text * per_character;
      // Products without a bound wrap around in cel-go: a quoted text of any size has at most 0 characters.
      if (name == "bytes") return {cost, SizeRange{text.min, text.max * 4}};
      if (name == "string") return {cost, SizeRange{text.min / 4, text.max}};
      if (name == "strings.quote") return {cost, SizeRange{text.min + 2, text.max * 2 + 2}};
      if (overload.declared.member && name != "format") return {cost, text};
      return {cost, {}};
    }
    case CallCost::url:
      return {size(0) * per_character, size(0)};
    case CallCost::authorization:
      return {exactly(authorization_cost), {}};
    case CallCost::traverse_twice:
      return {size(0) * (2 * per_character), {}};
    case CallCost::replace:
      return {size(0) * (2 * per_character), replaced_size(size(0), size(1), size(2))};
    case CallCost::split: {
      std::uint64_t most = size(0).max;
      if (arguments.size() > 2)
        if (const auto limit = literal_integer(arguments[2])) most = static_cast<std::uint64_t>(*limit);
      return {size(0) * (2 * per_character), SizeRange{0, most}};
    }
    case CallCost::join: {
      const SizeRange count = size(0);
      SizeRange text;
      if (!arguments[0].type->parameters.empty()) text = count * element_size(arguments[0]);
      if (arguments.size() > 1)
        text =
            text + size(1) * SizeRange{count.min > 0 ? count.min - 1 : 0, count.max > 0 ? count.max - 1 : 0};
      return {text * per_character, text};
    }
    case CallCost::regex:
    case CallCost::find: {
      const CostEstimate cost = ((size(0) + exactly(1)) * per_character) * (size(1) * per_regex_character);
      if (name == "matches") return {cost, {}};
      return {cost, SizeRange{0, size(0).max}};
    }
    case CallCost::contains:
      return {(size(0) * per_character) * (size(1) * per_character), {}};
    case CallCost::concatenate: {
      const SizeRange result = size(0) + size(1);
      return {result * per_character, result};
    }
    default:
      return {(size(1) * per_character) * (format_pattern * per_regex_character), {}};
  }
}

Estimator::CallResult Estimator::cost_of_list(const FunctionOverload& overload,
                                              const std::vector<Argument>& arguments) const {
  const auto size = [&](std::size_t i) { return arguments[i].size_or_unbounded(); };
  const std::string_view name = overload.declared.function;
  SizeRange result = size(0);
  switch (overload.declared.cost) {
    case CallCost::traverse_deep: {
      const Type& type = *arguments[0].type;
      if (type.parameters.empty()) return {size(0) * per_character, {}};
      CostEstimate each = exactly(1);
      if (is_text(type.parameters[0]->kind)) each = each + element_size(arguments[0]) * per_character;
      return {size(0) * each, {}};
    }
    case CallCost::list_output:
      if (name == "slice") {
        const std::uint64_t from = integer_or(arguments[1], 0);
        const std::uint64_t to = integer_or(arguments[2], size(0).max);
        // Wraps around where the ends are in the wrong order, as in cel-go.
        result = exactly(to - from);
      } else if (name == "lists.range") {
        result = exactly(integer_or(arguments[0], unbounded));
      }
      return {of_list(1, result), result};
    case CallCost::list_flatten: {
      const std::uint64_t depth = arguments.size() > 1 ? integer_or(arguments[1], unbounded) : 1;
      return {of_list(static_cast<double>(depth), result), result};
    }
    case CallCost::list_distinct:
      return {of_list(2, result * result), result * result};
    case CallCost::list_sort:
      return {of_list(is_text(overload.arguments[0]->parameters[0]->kind) ? 2 + per_character : 2,
                      result * result),
              result * result};
    case CallCost::in_list:
      // The factor is 1, but large sizes lose their last digits by it.
      return {size(1) * 1.0, {}};
    case CallCost::sets:
      return {(size(0) * size(1)) * 1.0 + exactly(1), {}};
    default:
      return {(size(0) * size(1)) * 2.0 + exactly(1), {}};
  }
}

Estimator::CallResult Estimator::cost_of(const FunctionOverload& overload,
                                         const std::vector<Argument>& arguments) const {
  // An address is 4 or 16 bytes.
  const CostEstimate addresses = SizeRange{4, 16} * per_character;
  const CostEstimate both = SizeRange{8, 32} * per_character;
  switch (overload.declared.cost) {
    case CallCost::nothing:
    case CallCost::unit:
      if (overload.declared.function == "_+_" && overload.arguments[0]->kind == TypeKind::list)
        return {exactly(1), arguments[0].size_or_unbounded() + arguments[1].size_or_unbounded()};
      return {exactly(1), {}};
    case CallCost::equality:
      return cost_of_equality(arguments);
    case CallCost::compare: {
      const std::uint64_t most =
          std::min(arguments[0].size_or_unbounded().max, arguments[1].size_or_unbounded().max);
      return {CostEstimate{most > 0 ? 1u : 0u, most} * per_character, {}};
    }
    case CallCost::contains_ip:
      return {both, {}};
    case CallCost::contains_ip_text:
      return {both + arguments[1].size_or_unbounded() * per_character, {}};
    case CallCost::contains_cidr:
      return {both + addresses + exactly(1), {}};
    case CallCost::contains_cidr_text:
      return {both + addresses + exactly(1) + arguments[1].size_or_unbounded() * per_character, {}};
    case CallCost::traverse_deep:
    case CallCost::list_output:
    case CallCost::list_flatten:
    case CallCost::list_distinct:
    case CallCost::list_sort:
    case CallCost::in_list:
    case CallCost::sets:
    case CallCost::sets_equivalent:
      return cost_of_list(overload, arguments);
    default:
      return cost_of_text(overload, arguments);
  }
}

}  // namespace fairway::cel
