// SPDX-License-Identifier: Apache-2.0

#include "cel/checker/checker.h"

#include <re2/re2.h>

#include <algorithm>
#include <ranges>

#include "cel/internal/checker/checker_state.h"
#include "cel/internal/syntax/qualified_name.h"
#include "cel/internal/values/time.h"
#include "cel/syntax/parser.h"

namespace fairway::cel {

namespace {

const TypePtr& dyn() {
  return simple_type(TypeKind::dyn);
}

}  // namespace

std::string to_string(const TypeError& error, std::string_view source) {
  return position_text(source, error.span.start) + ": " + error.message;
}

std::expected<Checked, std::vector<TypeError>> check(const Expression& expression,
                                                     const Environment& environment,
                                                     const CheckOptions& options) {
  CheckerState state(environment, options);
  return state.finish(state.check(expression));
}

std::expected<Checked, std::vector<TypeError>> CheckerState::finish(const TypePtr& type) {
  // Errors are shown in the order of the text, not in that of the check.
  const auto failed = [&] {
    std::ranges::stable_sort(errors_, {}, [](const TypeError& error) { return error.span.start; });
    return std::unexpected(std::move(errors_));
  };
  if (!errors_.empty()) return failed();
  for (auto& [expression, known] : checked_.types) known = unifier_.resolve(known, true);
  checked_.type = unifier_.resolve(type, true);
  for (const ListLiteral* literal : lists_) check_parts(*literal);
  for (const MapLiteral* literal : maps_) check_parts(*literal);
  for (const Call* call : formats_) check_format(*call);
  if (!errors_.empty()) return failed();
  return std::move(checked_);
}

TypePtr CheckerState::fail(Span span, std::string message) {
  errors_.push_back({span, std::move(message)});
  return dyn();
}

bool CheckerState::is_local(std::string_view name) const {
  return std::ranges::any_of(locals_, [&](const auto& local) { return local.first == name; });
}

TypePtr CheckerState::check(const Expression& expression) {
  TypePtr type = type_of(expression);
  checked_.types[&expression] = type;
  return type;
}

TypePtr CheckerState::type_of(const Expression& expression) {
  if (const auto* literal = std::get_if<Literal>(&expression.node)) {
    static constexpr TypeKind kinds[] = {
        TypeKind::null_type, TypeKind::boolean, TypeKind::integer, TypeKind::unsigned_integer,
        TypeKind::floating,  TypeKind::string,  TypeKind::bytes};
    return simple_type(kinds[literal->value.index()]);
  }
  if (const auto* identifier = std::get_if<Identifier>(&expression.node)) {
    if (TypePtr found = name(expression)) return found;
    return fail(expression.span, "undeclared reference to '" + identifier->name + "'");
  }
  if (const auto* selection = std::get_if<Select>(&expression.node)) {
    if (!selection->test_only)
      if (TypePtr found = name(expression)) return found;
    TypePtr field = select(expression, selection->operand, selection->field, false);
    return selection->test_only ? simple_type(TypeKind::boolean) : field;
  }
  if (const auto* function = std::get_if<Call>(&expression.node)) return call(expression, *function);
  if (const auto* literal = std::get_if<ListLiteral>(&expression.node)) return list(*literal);
  if (const auto* literal = std::get_if<MapLiteral>(&expression.node)) return map(*literal);
  if (const auto* macro = std::get_if<Comprehension>(&expression.node)) return comprehension(*macro);
  return fail(expression.span,
              "undeclared reference to '" + std::get<MessageLiteral>(expression.node).name + "'");
}

TypePtr CheckerState::name(const Expression& expression) {
  const std::vector<std::string_view> parts = name_parts(expression);
  if (parts.empty()) return nullptr;
  if (is_local(parts[0])) {
    if (parts.size() > 1) return nullptr;
    for (const auto& [local, type] : locals_ | std::views::reverse)
      if (local == parts[0]) return type;
  }
  for (const std::string& candidate : environment_.candidates(qualified_name(parts))) {
    if (const auto place = environment_.find_variable(candidate))
      return environment_.variables()[*place].type;
    if (TypePtr type = environment_.find_type_name(candidate)) return type;
  }
  return nullptr;
}

TypePtr CheckerState::select(const Expression& expression, const ExpressionPtr& operand,
                             const std::string& field, bool optional) {
  TypePtr type = unifier_.resolve(check(*operand));
  if (type->kind == TypeKind::optional) {
    optional = true;
    type = type->parameters[0];
  }
  TypePtr result;
  switch (type->kind) {
    case TypeKind::dyn:
      result = dyn();
      break;
    case TypeKind::parameter:
      unifier_.assignable(dyn(), type);
      result = dyn();
      break;
    case TypeKind::map:
      result = type->parameters[1];
      break;
    case TypeKind::object: {
      const Field* found = type->find_field(field);
      // Where the field begins, which is at the dot.
      if (found == nullptr)
        return fail({operand->span.end, expression.span.end}, "undefined field '" + field + "'");
      result = found->type;
      break;
    }
    default:
      return fail(expression.span, "type '" + text(type) + "' does not support field selection");
  }
  return optional ? optional_of(result) : result;
}

TypePtr CheckerState::call(const Expression& expression, const Call& call) {
  const std::string& name = call.function;
  if (name == "_?._") {
    const auto& field = std::get<std::string>(std::get<Literal>(call.arguments[1]->node).value);
    return select(expression, call.arguments[0], field, true);
  }
  if (name == "_&&_" || name == "_||_") {
    for (const ExpressionPtr& term : call.arguments) {
      const TypePtr type = check(*term);
      if (!unifier_.assignable(type, simple_type(TypeKind::boolean)))
        fail(expression.span,
             "found no matching overload for '" + name + "' applied to '(" +
                 (term == call.arguments.front() ? text(type) + ", bool" : "bool, " + text(type)) + ")'");
    }
    return simple_type(TypeKind::boolean);
  }
  std::vector<const Expression*> arguments;
  for (const ExpressionPtr& argument : call.arguments) arguments.push_back(argument.get());
  if (!call.target) {
    for (const std::string& candidate : environment_.candidates(name))
      if (environment_.functions().find(candidate)) return overload(expression, candidate, arguments, false);
    for (const Expression* argument : arguments) check(*argument);
    return fail(expression.span, "undeclared reference to '" + name + "'");
  }
  std::vector<std::string_view> parts = name_parts(*call.target);
  if (!parts.empty() && !is_local(parts[0])) {
    parts.push_back(name);
    for (const std::string& candidate : environment_.candidates(qualified_name(parts)))
      if (const auto* overloads = environment_.functions().find(candidate))
        if (std::ranges::any_of(*overloads, [](const FunctionOverload& o) { return !o.declared.member; }))
          return overload(expression, candidate, arguments, false);
  }
  arguments.insert(arguments.begin(), call.target.get());
  if (environment_.functions().find(name)) return overload(expression, name, arguments, true);
  for (const Expression* argument : arguments) check(*argument);
  return fail(expression.span, "undeclared reference to '" + name + "'");
}

TypePtr CheckerState::overload(const Expression& expression, std::string_view name,
                               const std::vector<const Expression*>& arguments, bool member) {
  std::vector<TypePtr> types;
  // The arguments of `format` may have any types.
  const bool any_types = member && name == "format";
  any_types_ += any_types ? 1 : 0;
  if (any_types && arguments.size() == 2 && options_.fitting_templates)
    formats_.push_back(&std::get<Call>(expression.node));
  // The target comes last: what is not known yet of a type may become known by the order.
  for (std::size_t i = member ? 1 : 0; i < arguments.size(); ++i) types.push_back(check(*arguments[i]));
  if (member) types.insert(types.begin(), check(*arguments[0]));
  any_types_ -= any_types ? 1 : 0;
  check_literal_argument(name, arguments);
  TypePtr result;
  std::vector<const FunctionOverload*>& found = checked_.overloads[&expression];
  for (const FunctionOverload& candidate : *environment_.functions().find(name)) {
    if (candidate.declared.member != member || candidate.arguments.size() != types.size()) continue;
    std::map<std::string, TypePtr> variables;
    std::vector<TypePtr> wanted;
    for (const TypePtr& argument : candidate.arguments)
      wanted.push_back(unifier_.instantiate(argument, variables));
    const TypePtr gives = unifier_.instantiate(candidate.result, variables);
    if (!unifier_.assignable_all(types, wanted)) continue;
    found.push_back(&candidate);
    const TypePtr resolved = unifier_.resolve(gives);
    if (!result) {
      result = resolved;
    } else if (!same_type(*result, *resolved)) {
      result = dyn();
    }
  }
  if (result) return result;
  std::string applied;
  for (std::size_t i = member ? 1 : 0; i < types.size(); ++i) {
    if (!applied.empty()) applied += ", ";
    applied += text(types[i]);
  }
  return fail(expression.span, "found no matching overload for '" + std::string(name) + "' applied to '" +
                                   (member ? text(types[0]) + "." : "") + "(" + applied + ")'");
}

void CheckerState::check_literal_argument(std::string_view function,
                                          const std::vector<const Expression*>& arguments) {
  if (arguments.empty()) return;
  const auto* literal = std::get_if<Literal>(&arguments.back()->node);
  const auto* number = literal ? std::get_if<std::int64_t>(&literal->value) : nullptr;
  if (number && function == "timestamp" && (*number < first_second || *number > last_second))
    fail(arguments.back()->span, "invalid timestamp argument");
  const auto* value = literal ? std::get_if<std::string>(&literal->value) : nullptr;
  if (!value) return;
  bool wrong = false;
  if (function == "duration" && arguments.size() == 1) wrong = !parse_go_duration(*value);
  if (function == "timestamp" && arguments.size() == 1) wrong = !parse_timestamp(*value);
  if (function == "matches" && arguments.size() == 2) {
    RE2::Options options;
    options.set_log_errors(false);
    wrong = !RE2(*value, options).ok();
  }
  if (wrong) fail(arguments.back()->span, "invalid " + std::string(function) + " argument");
}

TypePtr CheckerState::join(const TypePtr& known, const TypePtr& next, Span span) {
  if (!known) return next;
  if (unifier_.assignable(known, next)) return unifier_.most_general(known, next);
  if (!options_.homogeneous_literals || any_types_ > 0) return dyn();
  return fail(span, "expected type '" + text(known) + "' but found '" + text(next) + "'");
}

TypePtr CheckerState::list(const ListLiteral& literal) {
  TypePtr element;
  for (const ListElement& item : literal.elements) {
    TypePtr type = check(*item.value);
    if (item.optional) {
      const TypePtr resolved = unifier_.resolve(type);
      if (resolved->kind == TypeKind::optional) {
        type = resolved->parameters[0];
      } else if (resolved->kind != TypeKind::dyn) {
        fail(item.value->span,
             "expected type 'optional_type(" + text(type) + ")' but found '" + text(type) + "'");
      }
    }
    element = join(element, type, item.value->span);
  }
  if (options_.homogeneous_literals && any_types_ == 0) lists_.push_back(&literal);
  return list_of(element ? element : unifier_.fresh());
}

TypePtr CheckerState::map(const MapLiteral& literal) {
  TypePtr key, value;
  for (const MapEntry& entry : literal.entries) {
    key = join(key, check(*entry.key), entry.key->span);
    TypePtr type = check(*entry.value);
    if (entry.optional) {
      const TypePtr resolved = unifier_.resolve(type);
      if (resolved->kind == TypeKind::optional) {
        type = resolved->parameters[0];
      } else if (resolved->kind != TypeKind::dyn) {
        fail(entry.value->span,
             "expected type 'optional_type(" + text(type) + ")' but found '" + text(type) + "'");
      }
    }
    value = join(value, type, entry.value->span);
  }
  if (options_.homogeneous_literals && any_types_ == 0) maps_.push_back(&literal);
  return map_of(key ? key : unifier_.fresh(), value ? value : unifier_.fresh());
}

void CheckerState::expect(const Expression& expression, const TypePtr& wanted) {
  const TypePtr type = check(expression);
  if (!unifier_.assignable(type, wanted))
    fail(expression.span, "expected type '" + text(wanted) + "' but found '" + text(type) + "'");
}

bool CheckerState::variables_of(const Expression& range, bool two, TypePtr& first, TypePtr& second) {
  const TypePtr type = unifier_.resolve(check(range));
  switch (type->kind) {
    case TypeKind::list:
      first = two ? simple_type(TypeKind::integer) : type->parameters[0];
      second = type->parameters[0];
      return true;
    case TypeKind::map:
      first = type->parameters[0];
      second = type->parameters[1];
      return true;
    case TypeKind::parameter:
      unifier_.assignable(dyn(), type);
      [[fallthrough]];
    case TypeKind::dyn:
      first = second = dyn();
      return true;
    default:
      first = second = dyn();
      fail(range.span, "expression of type '" + text(type) +
                           "' cannot be range of a comprehension (must be list, map, or dynamic)");
      return false;
  }
}

TypePtr CheckerState::comprehension(const Comprehension& macro) {
  const bool two = !macro.variable2.empty();
  TypePtr first, second;
  const bool optional = macro.macro == Macro::opt_map || macro.macro == Macro::opt_flat_map;
  if (optional) {
    const TypePtr inside = unifier_.fresh();
    expect(*macro.range, optional_of(inside));
    first = unifier_.resolve(inside);
  } else {
    variables_of(*macro.range, two, first, second);
  }
  const std::size_t outside = locals_.size();
  locals_.emplace_back(macro.variable, first);
  if (two) locals_.emplace_back(macro.variable2, second);
  const TypePtr& boolean = simple_type(TypeKind::boolean);
  if (macro.filter) expect(*macro.filter, boolean);
  TypePtr result;
  switch (macro.macro) {
    case Macro::all:
    case Macro::exists:
    case Macro::exists_one:
      expect(*macro.body, boolean);
      result = boolean;
      break;
    case Macro::filter:
      expect(*macro.body, boolean);
      result = list_of(first);
      break;
    case Macro::map:
    case Macro::transform_list:
      result = list_of(check(*macro.body));
      break;
    case Macro::transform_map:
      result = map_of(first, check(*macro.body));
      break;
    case Macro::transform_map_entry: {
      const TypePtr key = unifier_.fresh();
      const TypePtr value = unifier_.fresh();
      result = map_of(key, value);
      expect(*macro.body, result);
      break;
    }
    case Macro::opt_map:
      result = optional_of(check(*macro.body));
      break;
    case Macro::opt_flat_map:
      result = optional_of(unifier_.fresh());
      expect(*macro.body, result);
      break;
    case Macro::sort_by: {
      const TypePtr key = unifier_.resolve(check(*macro.body));
      const bool ordered = key->kind == TypeKind::dyn || key->kind == TypeKind::parameter ||
                           (key->kind >= TypeKind::boolean && key->kind <= TypeKind::timestamp);
      if (!ordered)
        fail(macro.body->span, "found no matching overload for '@sortByAssociatedKeys' applied to 'list(" +
                                   text(first) + ").(list(" + text(key) + "))'");
      // A type that is not known yet becomes that of the first overload.
      if (key->kind == TypeKind::parameter) unifier_.assignable(key, simple_type(TypeKind::integer));
      // For a value of any type the element is not known; if the key is of any type, too, every overload
      // fits, and each gives a list of its own.
      const TypeKind range = unifier_.resolve(checked_.types.at(macro.range.get()))->kind;
      if (range == TypeKind::dyn) {
        result = key->kind == TypeKind::dyn ? dyn() : list_of(unifier_.fresh());
      } else {
        result = list_of(first);
      }
      break;
    }
  }
  locals_.resize(outside);
  return result;
}

}  // namespace fairway::cel
