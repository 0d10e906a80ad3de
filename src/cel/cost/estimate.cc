// SPDX-License-Identifier: Apache-2.0

#include "cel/cost/estimate.h"

#include "cel/internal/cost/estimator.h"

namespace fairway::cel {

CostEstimate estimate_cost(const Expression& expression, const Environment& environment,
                           const Checked& checked) {
  return Estimator(environment, checked).cost(expression);
}

CostEstimate Estimator::cost(const Expression& expression) {
  if (std::holds_alternative<Literal>(expression.node)) return {};
  if (const auto* name = std::get_if<Identifier>(&expression.node)) return identifier(expression, *name);
  if (const auto* selection = std::get_if<Select>(&expression.node)) return select(expression, *selection);
  if (const auto* function = std::get_if<Call>(&expression.node)) return call(expression, *function);
  if (const auto* literal = std::get_if<ListLiteral>(&expression.node)) return list(expression, *literal);
  if (const auto* literal = std::get_if<MapLiteral>(&expression.node)) return map(expression, *literal);
  if (const auto* macro = std::get_if<Comprehension>(&expression.node))
    return comprehension(expression, *macro);
  CostEstimate sum = exactly(40);
  for_each_child(expression, [&](const Expression& child) { sum = sum + cost(child); });
  return sum;
}

CostEstimate Estimator::identifier(const Expression& expression, const Identifier& name) {
  const Local* local = find_local(name.name);
  paths_.insert_or_assign(&expression, local ? local->path : Path().extended(name.name));
  return exactly(1);
}

CostEstimate Estimator::select(const Expression& expression, const Select& select) {
  const CostEstimate operand = cost(*select.operand);
  if (select.test_only) return operand;
  paths_.insert_or_assign(&expression, path_of(*select.operand).extended(select.field));
  const TypeKind kind = checked_.type_of(*select.operand)->kind;
  return kind == TypeKind::map || kind == TypeKind::object ? operand + exactly(1) : operand;
}

CostEstimate Estimator::call(const Expression& expression, const Call& call) {
  if (!call.target) {
    if (call.function == "_&&_" || call.function == "_||_") return logical(expression, call);
    if (call.function == "_?:_" || call.function == "_?_:_") return conditional(expression, call);
    if (call.function == "_?._") return cost(*call.arguments[0]) + exactly(1);
    if (call.function == "dyn" && call.arguments.size() == 1) {
      const Expression& inside = *call.arguments[0];
      const CostEstimate sum = cost(inside) + exactly(1);
      set_size(expression, size_of(inside));
      set_entries(expression, entries_of(inside));
      return sum;
    }
  }
  return overloaded(expression, call);
}

CostEstimate Estimator::logical(const Expression& expression, const Call& call) {
  CostEstimate sum;
  for (const ExpressionPtr& term : call.arguments) {
    const CostEstimate own = cost(*term);
    sum = term == call.arguments.front() ? own : CostEstimate{sum.min, plus(sum.max, own.max)};
  }
  set_size(expression, size_of(expression));
  return sum;
}

CostEstimate Estimator::conditional(const Expression& expression, const Call& call) {
  const Expression &yes = *call.arguments[1], &no = *call.arguments[2];
  const CostEstimate condition = cost(*call.arguments[0]);
  const CostEstimate first = cost(yes);
  const SizeRange size = size_or_unbounded(yes);
  const CostEstimate second = cost(no);
  set_size(expression, united(size, size_or_unbounded(no)));
  set_entries(expression, united(entries_of(yes), entries_of(no)));
  return condition + united(first, second);
}

CostEstimate Estimator::overloaded(const Expression& expression, const Call& call) {
  const auto found = checked_.overloads.find(&expression);
  if (found == checked_.overloads.end() || found->second.empty()) return {};
  std::vector<Argument> arguments;
  CostEstimate sum;
  const auto add = [&](const Expression& one) {
    sum = sum + cost(one);
    return argument(one);
  };
  for (const ExpressionPtr& one : call.arguments) arguments.push_back(add(*one));
  // A function with dots has a target that is only its name.
  if (call.target && found->second[0]->declared.member)
    arguments.insert(arguments.begin(), add(*call.target));
  CostEstimate own{unbounded, 0};
  std::optional<SizeRange> size;
  for (const FunctionOverload* overload : found->second) {
    const CallResult result = cost_of(*overload, arguments);
    own = united(own, result.cost);
    if (result.size) size = size ? united(*size, *result.size) : *result.size;
    const std::string_view name = overload->declared.function;
    const TypeKind first = overload->arguments.empty() ? TypeKind::dyn : overload->arguments[0]->kind;
    if (name == "_[_]" && first != TypeKind::optional) {
      const Expression& container = *call.arguments[0];
      const auto entries = entries_of(container);
      size = entries ? std::optional(entries->value) : std::nullopt;
      paths_.insert_or_assign(
          &expression, path_of(container).extended(first == TypeKind::list ? items_step : values_step));
    }
    if (name == "_+_" && (first == TypeKind::list || first == TypeKind::string || first == TypeKind::bytes))
      set_entries(expression, united(entries_of(*call.arguments[0]), entries_of(*call.arguments[1])));
    if (!size) size = size_of(expression);
  }
  set_size(expression, size);
  return sum + own;
}

CostEstimate Estimator::list(const Expression& expression, const ListLiteral& literal) {
  CostEstimate sum = exactly(10);
  SizeRange item{literal.elements.empty() ? 0 : unbounded, 0};
  for (const ListElement& element : literal.elements) {
    sum = sum + cost(*element.value);
    item = united(item, size_or_unbounded(*element.value));
  }
  set_entries(expression, EntrySize{true, exactly(1), item});
  return sum;
}

CostEstimate Estimator::map(const Expression& expression, const MapLiteral& literal) {
  CostEstimate sum = exactly(30);
  SizeRange key{literal.entries.empty() ? 0 : unbounded, 0};
  SizeRange value = key;
  for (const MapEntry& entry : literal.entries) {
    sum = sum + cost(*entry.key);
    sum = sum + cost(*entry.value);
    key = united(key, size_or_unbounded(*entry.key));
    value = united(value, size_or_unbounded(*entry.value));
  }
  set_entries(expression, EntrySize{false, key, value});
  return sum;
}

}  // namespace fairway::cel
