// SPDX-License-Identifier: Apache-2.0

#include "cel/cost/estimate.h"

#include <ranges>

#include "cel/internal/cost/estimator.h"
#include "cel/internal/syntax/utf8.h"

namespace fairway::cel {

namespace {

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::floating:
    case TypeKind::duration:
    case TypeKind::integer:
    case TypeKind::timestamp:
    case TypeKind::unsigned_integer:
      return true;
    case TypeKind::optional:
      return is_scalar(*type.parameters[0]);
    default:
      return false;
  }
}

}  // namespace

CostEstimate estimate_cost(const Expression& expression, const Environment& environment,
                           const Checked& checked) {
  Estimator estimator(environment, checked);
  return estimator.estimate(expression).cost;
}

Part Estimator::part_of(const Expression& expression) const {
  Part part;
  part.expression = &expression;
  part.type = checked_.type_of(expression);
  return part;
}

void Estimator::add_size(Part& part) {
  if (part.size) return;
  if (part.from_variable && part.type->max_size) {
    part.size = SizeRange{0, *part.type->max_size};
  } else if (is_scalar(*part.type)) {
    part.size = exactly(1);
  }
}

Part Estimator::estimate(const Expression& expression) {
  if (const auto* literal = std::get_if<Literal>(&expression.node)) {
    Part part = part_of(expression);
    part.size = exactly(1);
    if (const auto* text = std::get_if<std::string>(&literal->value))
      part.size = exactly(count_code_points(*text));
    if (const auto* bytes = std::get_if<BytesLiteral>(&literal->value))
      part.size = exactly(bytes->bytes.size());
    return part;
  }
  if (const auto* name = std::get_if<Identifier>(&expression.node)) return identifier(expression, *name);
  if (const auto* selection = std::get_if<Select>(&expression.node)) return select(expression, *selection);
  if (const auto* function = std::get_if<Call>(&expression.node)) return call(expression, *function);
  if (const auto* literal = std::get_if<ListLiteral>(&expression.node)) return list(expression, *literal);
  if (const auto* literal = std::get_if<MapLiteral>(&expression.node)) return map(expression, *literal);
  if (const auto* macro = std::get_if<Comprehension>(&expression.node))
    return comprehension(expression, *macro);
  Part part = part_of(expression);
  part.cost = exactly(40);
  for_each_child(expression, [&](const Expression& child) { part.cost = part.cost + estimate(child).cost; });
  return part;
}

Part Estimator::identifier(const Expression& expression, const Identifier& name) {
  for (const auto& local : locals_ | std::views::reverse) {
    if (local.name != name.name) continue;
    Part part = local.part;
    part.expression = &expression;
    part.cost = exactly(1);
    const std::optional<SizeRange> own = part.size;
    part.size.reset();
    add_size(part);
    if (!part.size) part.size = own;
    return part;
  }
  Part part = part_of(expression);
  part.cost = exactly(1);
  part.from_variable = true;
  add_size(part);
  // The name of a type: Kubernetes takes each single name for that of the value under the rule.
  if (!part.size && part.type->kind == TypeKind::type) {
    const auto self = environment_.find_variable("self");
    const auto size = self ? environment_.variables()[*self].type->max_size : std::nullopt;
    if (size) part.size = SizeRange{0, *size};
  }
  return part;
}

Part Estimator::select(const Expression& expression, const Select& select) {
  Part part = part_of(expression);
  const Part operand = estimate(*select.operand);
  part.cost = operand.cost;
  if (select.test_only) {
    add_size(part);
    return part;
  }
  const TypeKind kind = operand.type->kind;
  if (kind == TypeKind::map || kind == TypeKind::object) part.cost = part.cost + exactly(1);
  part.from_variable = operand.from_variable;
  add_size(part);
  return part;
}

Part Estimator::call(const Expression& expression, const Call& call) {
  Part part = part_of(expression);
  if (!call.target) {
    if (call.function == "_&&_" || call.function == "_||_") {
      for (const ExpressionPtr& term : call.arguments) {
        const CostEstimate cost = estimate(*term).cost;
        part.cost = term == call.arguments.front()
                        ? cost
                        : CostEstimate{part.cost.min, plus(part.cost.max, cost.max)};
      }
      add_size(part);
      return part;
    }
    if (call.function == "_?:_" || call.function == "_?_:_") return conditional(expression, call);
    if (call.function == "_?._") {
      const Part operand = estimate(*call.arguments[0]);
      part.cost = operand.cost + exactly(1);
      add_size(part);
      return part;
    }
    if (call.function == "dyn" && call.arguments.size() == 1) {
      const Part argument = estimate(*call.arguments[0]);
      part.cost = argument.cost + exactly(1);
      part.size = argument.size;
      part.entries = argument.entries;
      return part;
    }
  }
  std::vector<Part> arguments;
  // A function with dots has a target that is only its name.
  const auto found = checked_.overloads.find(&expression);
  const bool member =
      found != checked_.overloads.end() && !found->second.empty() && found->second[0]->declared.member;
  if (call.target && member) arguments.push_back(estimate(*call.target));
  for (const ExpressionPtr& argument : call.arguments) arguments.push_back(estimate(*argument));
  return overloaded(expression, std::move(arguments));
}

Part Estimator::conditional(const Expression& expression, const Call& call) {
  Part part = part_of(expression);
  const Part condition = estimate(*call.arguments[0]);
  const Part yes = estimate(*call.arguments[1]);
  const Part no = estimate(*call.arguments[2]);
  part.cost = condition.cost + united(yes.cost, no.cost);
  part.size = united(yes.size_or_unbounded(), no.size_or_unbounded());
  if (yes.entries && no.entries)
    part.entries = EntrySize{yes.entries->list, united(yes.entries->key, no.entries->key),
                             united(yes.entries->value, no.entries->value)};
  return part;
}

Part Estimator::overloaded(const Expression& expression, std::vector<Part> arguments) {
  Part part = part_of(expression);
  const auto found = checked_.overloads.find(&expression);
  if (found == checked_.overloads.end() || found->second.empty()) return part;
  CostEstimate all;
  for (const Part& argument : arguments) all = all + argument.cost;
  CostEstimate own{unbounded, 0};
  for (const FunctionOverload* overload : found->second) {
    const CallResult result = cost_of(*overload, arguments);
    own = united(own, result.cost);
    if (result.size) part.size = part.size ? united(*part.size, *result.size) : *result.size;
    const std::string_view name = overload->declared.function;
    if (name == "_[_]" && !arguments.empty() && overload->arguments[0]->kind != TypeKind::optional) {
      if (arguments[0].entries) part.size = arguments[0].entries->value;
      part.from_variable = arguments[0].from_variable;
    }
    if (name == "_+_" && arguments[0].entries && arguments[1].entries)
      part.entries =
          EntrySize{arguments[0].entries->list, united(arguments[0].entries->key, arguments[1].entries->key),
                    united(arguments[0].entries->value, arguments[1].entries->value)};
  }
  part.cost = all + own;
  add_size(part);
  return part;
}

Part Estimator::list(const Expression& expression, const ListLiteral& literal) {
  Part part = part_of(expression);
  part.cost = exactly(10);
  SizeRange item{literal.elements.empty() ? 0 : unbounded, 0};
  for (const ListElement& element : literal.elements) {
    const Part inside = estimate(*element.value);
    part.cost = part.cost + inside.cost;
    item = united(item, inside.size_or_unbounded());
  }
  part.size = exactly(literal.elements.size());
  part.entries = EntrySize{true, exactly(1), item};
  return part;
}

Part Estimator::map(const Expression& expression, const MapLiteral& literal) {
  Part part = part_of(expression);
  part.cost = exactly(30);
  SizeRange key{literal.entries.empty() ? 0 : unbounded, 0};
  SizeRange value = key;
  for (const MapEntry& entry : literal.entries) {
    const Part one = estimate(*entry.key);
    const Part other = estimate(*entry.value);
    part.cost = part.cost + one.cost + other.cost;
    key = united(key, one.size_or_unbounded());
    value = united(value, other.size_or_unbounded());
  }
  part.size = exactly(literal.entries.size());
  part.entries = EntrySize{false, key, value};
  return part;
}

void Estimator::push_variables(const Comprehension& macro, const Part& range) {
  const TypePtr& type = range.type;
  const bool is_list = range.entries ? range.entries->list : type->kind == TypeKind::list;
  const TypePtr& dyn = simple_type(TypeKind::dyn);
  const auto inside = [&](bool key) {
    Part part;
    part.from_variable = range.from_variable;
    if (type->kind == TypeKind::list) {
      part.type = key ? simple_type(TypeKind::integer) : type->parameters[0];
    } else if (type->kind == TypeKind::map) {
      part.type = type->parameters[key ? 0 : 1];
    } else {
      part.type = dyn;
    }
    if (range.entries) part.size = key ? range.entries->key : range.entries->value;
    return part;
  };
  if (macro.variable2.empty()) {
    locals_.push_back({macro.variable, inside(!is_list)});
  } else {
    locals_.push_back({macro.variable, inside(true)});
    locals_.push_back({macro.variable2, inside(false)});
  }
}

Part Estimator::comprehension(const Expression& expression, const Comprehension& macro) {
  const Part range = estimate(*macro.range);
  if (macro.macro == Macro::opt_map || macro.macro == Macro::opt_flat_map)
    return optional_map(expression, macro, range);
  if (macro.macro == Macro::sort_by) return sort_by(expression, macro, range);
  const std::size_t outside = locals_.size();
  push_variables(macro, range);
  const Part body = estimate(*macro.body);
  const CostEstimate filter = macro.filter ? estimate(*macro.filter).cost : CostEstimate{};
  // The size of the variable itself, which `filter` collects.
  Part item;
  if (macro.macro == Macro::filter) item = locals_[outside].part, item.size.reset(), add_size(item);
  locals_.resize(outside);

  // The loop that CEL expands the macro to: the accumulator's first value, the loop's condition and step, and
  // the result.
  CostEstimate first, loop, result = exactly(1);
  Part part = part_of(expression);
  const SizeRange count = range.size_or_unbounded();
  part.size = exactly(1);
  const auto unless_filtered = [&](const CostEstimate& step, const CostEstimate& condition) {
    return condition + united(step, exactly(1));
  };
  const auto collected = [&](const SizeRange& size) {
    part.size = count;
    part.entries = EntrySize{true, exactly(1), SizeRange{0, size.max}};
  };
  switch (macro.macro) {
    case Macro::all:
      loop = exactly(2) + CostEstimate{1, plus(1, body.cost.max)};
      break;
    case Macro::exists:
      loop = exactly(3) + CostEstimate{1, plus(1, body.cost.max)};
      break;
    case Macro::exists_one:
      loop = body.cost + CostEstimate{1, 2};
      result = exactly(2);
      break;
    case Macro::filter:
      first = exactly(10);
      loop = unless_filtered(exactly(13), body.cost);
      collected(item.size_or_unbounded());
      break;
    case Macro::transform_map:
    case Macro::transform_map_entry: {
      first = exactly(30);
      const CostEstimate step = body.cost + exactly(macro.macro == Macro::transform_map ? 3 : 2);
      loop = macro.filter ? unless_filtered(step, filter) : step;
      part.size = count;
      break;
    }
    default:
      first = exactly(10);
      loop = macro.filter ? unless_filtered(exactly(12) + body.cost, filter) : exactly(12) + body.cost;
      collected(body.size_or_unbounded());
      break;
  }
  part.cost = range.cost + first + result + count * loop;
  return part;
}

Part Estimator::optional_map(const Expression& expression, const Comprehension& macro, const Part& target) {
  Part variable;
  variable.type =
      target.type->kind == TypeKind::optional ? target.type->parameters[0] : simple_type(TypeKind::dyn);
  locals_.push_back({macro.variable, variable});
  const Part body = estimate(*macro.body);
  locals_.pop_back();
  Part part = part_of(expression);
  // `target.hasValue() ? optional.of(bind(target.value(), body)) : optional.none()`; a bind has an empty
  // list.
  CostEstimate present = exactly(10) + target.cost + exactly(1) + body.cost;
  if (macro.macro == Macro::opt_map) present = present + exactly(1);
  part.cost = target.cost + exactly(1) + united(present, exactly(1));
  add_size(part);
  return part;
}

Part Estimator::sort_by(const Expression& expression, const Comprehension& macro, const Part& range) {
  const std::size_t outside = locals_.size();
  push_variables(macro, range);
  const Part body = estimate(*macro.body);
  locals_.resize(outside);
  Part part = part_of(expression);
  const SizeRange count = range.size_or_unbounded();
  const CostEstimate keys = exactly(12) + count * (exactly(12) + body.cost);
  const bool text = body.type->kind == TypeKind::string || body.type->kind == TypeKind::bytes;
  const CostEstimate sort = (count * count) * (text ? 2.1 : 2.0) + exactly(11);
  part.cost = exactly(10) + range.cost + exactly(1) + keys + sort;
  part.size = count * count;
  return part;
}

}  // namespace fairway::cel
