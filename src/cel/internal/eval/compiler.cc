// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/eval/compiler.h"

#include <re2/re2.h>

#include <algorithm>

#include "cel/eval/program.h"
#include "cel/internal/eval/evaluation.h"
#include "cel/internal/syntax/qualified_name.h"
#include "cel/internal/values/map.h"

namespace fairway::cel {

namespace {

/// Returns whether cel-go evaluates calls with a constant once, at no cost.
bool folds(std::string_view function) {
  static constexpr std::string_view conversions[] = {"bool", "bytes", "double", "duration",  "dyn",
                                                     "type", "int",   "string", "timestamp", "uint"};
  return std::ranges::find(conversions, function) != std::end(conversions);
}

/// Returns whether cel-go looks the cost up by overload; Kubernetes looks it up by the function's name.
bool counted_by_overload(std::string_view function, CallCost cost) {
  switch (cost) {
    case CallCost::traverse:
      return function == "bytes" || function == "string" || function == "format" ||
             function == "strings.quote";
    case CallCost::affix:
    case CallCost::compare:
    case CallCost::concatenate:
    case CallCost::in_list:
    case CallCost::regex:
    case CallCost::contains:
    case CallCost::list_output:
    case CallCost::list_flatten:
    case CallCost::list_distinct:
    case CallCost::list_sort:
    case CallCost::sets:
    case CallCost::sets_equivalent:
      return true;
    default:
      return false;
  }
}

}  // namespace

CompiledProgram::CompiledProgram() : constants(std::size_t{256} << 20) {}
CompiledProgram::~CompiledProgram() = default;

Program::Program(const Expression& expression, const Environment& environment, const Checked* checked) {
  auto compiled = std::make_unique<CompiledProgram>();
  compiled->functions = environment.shared_functions();
  Compiler compiler(*compiled, environment, checked);
  compiled->root = compiler.compile(expression);
  compiled_ = std::move(compiled);
}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

Outcome Program::evaluate(std::span<const Value> variables, Scratch& scratch,
                          std::uint64_t cost_limit) const {
  Evaluation evaluation(*compiled_, variables, scratch, cost_limit);
  Outcome outcome;
  outcome.value = evaluation.run();
  outcome.cost = evaluation.cost();
  outcome.cost_exceeded = evaluation.cost_exceeded();
  return outcome;
}

Node* Compiler::make(Op op, const Expression& expression) {
  Node& node = program_.nodes.emplace_back();
  node.op = op;
  node.offset = expression.span.start;
  return &node;
}

Node* Compiler::constant(const Expression& expression, Value value) {
  Node* node = make(Op::constant, expression);
  node->constant = value;
  return node;
}

std::string_view Compiler::text(std::string text) {
  return program_.texts.emplace_back(std::move(text));
}

Node* Compiler::failure(const Expression& expression, std::string message) {
  EvaluationError& error = program_.errors.emplace_back();
  error.message = text(std::move(message));
  error.offset = expression.span.start;
  return constant(expression, Value::error(&error));
}

bool Compiler::is_attribute(const Node& node) {
  switch (node.op) {
    case Op::variable:
    case Op::local:
    case Op::select:
    case Op::optional_select:
    case Op::index:
    case Op::optional_index:
    case Op::conditional:
      return true;
    default:
      return false;
  }
}

void Compiler::drop_root_cost(Node& node) {
  Node* root = &node;
  while (root->op == Op::select || root->op == Op::optional_select || root->op == Op::index ||
         root->op == Op::optional_index) {
    if (!is_attribute(*root->parts[0])) {
      root->cost = 1;
      return;
    }
    root = const_cast<Node*>(root->parts[0]);
  }
  if (root->op == Op::variable || root->op == Op::local) root->cost = 0;
}

std::optional<std::uint32_t> Compiler::local(std::string_view name) const {
  for (auto it = locals_.rbegin(); it != locals_.rend(); ++it)
    if (it->first == name) return it->second;
  return std::nullopt;
}

Node* Compiler::compile(const Expression& expression) {
  if (const auto* value = std::get_if<Literal>(&expression.node)) return literal(expression, *value);
  if (const auto* identifier = std::get_if<Identifier>(&expression.node)) {
    if (Node* found = name(expression)) return found;
    return failure(expression, "undeclared reference to '" + identifier->name + "'");
  }
  if (const auto* selection = std::get_if<Select>(&expression.node)) return select(expression, *selection);
  if (const auto* function_call = std::get_if<Call>(&expression.node))
    return call(expression, *function_call);
  if (const auto* list_literal = std::get_if<ListLiteral>(&expression.node))
    return list(expression, *list_literal);
  if (const auto* map_literal = std::get_if<MapLiteral>(&expression.node))
    return map(expression, *map_literal);
  if (const auto* macro = std::get_if<Comprehension>(&expression.node))
    return comprehension(expression, *macro);
  return failure(expression,
                 "undeclared reference to '" + std::get<MessageLiteral>(expression.node).name + "'");
}

Node* Compiler::literal(const Expression& expression, const Literal& literal) {
  struct Visitor {
    Compiler& compiler;
    Value operator()(NullLiteral) const { return Value::null(); }
    Value operator()(bool value) const { return Value::boolean(value); }
    Value operator()(std::int64_t value) const { return Value::integer(value); }
    Value operator()(std::uint64_t value) const { return Value::unsigned_integer(value); }
    Value operator()(double value) const { return Value::floating(value); }
    Value operator()(const std::string& value) const { return Value::string(compiler.text(value)); }
    Value operator()(const BytesLiteral& value) const { return Value::bytes(compiler.text(value.bytes)); }
  };
  return constant(expression, std::visit(Visitor{*this}, literal.value));
}

Node* Compiler::name(const Expression& expression) {
  const std::vector<std::string_view> parts = name_parts(expression);
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) {
    if (const auto slot = local(parts[0])) {
      Node* node = make(Op::local, expression);
      node->slot = *slot;
      node->cost = 1;
      return node;
    }
  } else if (local(parts[0])) {
    return nullptr;
  }
  for (const std::string& candidate : environment_.candidates(qualified_name(parts))) {
    if (const auto place = environment_.find_variable(candidate)) {
      Node* node = make(Op::variable, expression);
      node->slot = static_cast<std::uint32_t>(*place);
      node->cost = 1;
      return node;
    }
    if (const TypePtr type = environment_.find_type_name(candidate)) {
      program_.types.push_back(type->parameters[0]);
      return constant(expression, Value::type(type->parameters[0].get()));
    }
  }
  return nullptr;
}

Node* Compiler::select(const Expression& expression, const Select& select) {
  if (!select.test_only)
    if (Node* found = name(expression)) return found;
  const Node* operand = compile(*select.operand);
  Node* node = make(select.test_only ? Op::has : Op::select, expression);
  node->parts = {operand};
  node->name = text(select.field);
  const bool attribute = is_attribute(*operand);
  node->cost = static_cast<std::uint8_t>((select.test_only ? 0 : 1) + (attribute ? 0 : 1));
  if (checked_) {
    const TypePtr& type = checked_->type_of(*select.operand);
    if (type->kind == TypeKind::object) {
      if (const Field* field = type->find_field(select.field)) {
        program_.types.push_back(type);
        node->object_type = type.get();
        node->field = field;
      }
    }
  }
  return node;
}

Node* Compiler::access(const Expression& expression, const Call& call, Op op) {
  const Node* operand = compile(*call.arguments[0]);
  Node* node = make(op, expression);
  node->parts = {operand};
  node->cost = is_attribute(*operand) ? 1 : 2;
  if (op == Op::optional_select) {
    node->name = text(std::get<std::string>(std::get<Literal>(call.arguments[1]->node).value));
  } else {
    Node* key = compile(*call.arguments[1]);
    drop_root_cost(*key);
    node->parts.push_back(key);
  }
  return node;
}

Node* Compiler::call(const Expression& expression, const Call& call) {
  const std::string& name = call.function;
  if (name == "_?._") return access(expression, call, Op::optional_select);
  if (name == "_[_]") return access(expression, call, Op::index);
  if (name == "_[?_]") return access(expression, call, Op::optional_index);
  const bool member = call.target != nullptr;
  const auto parts_of = [&](Op op) {
    Node* node = make(op, expression);
    std::vector<const Node*> parts;
    if (member) parts.push_back(compile(*call.target));
    for (const ExpressionPtr& argument : call.arguments) parts.push_back(compile(*argument));
    node->parts = std::move(parts);
    return node;
  };
  if (!member && name == "_&&_") return parts_of(Op::logical_and);
  if (!member && name == "_||_") return parts_of(Op::logical_or);
  if (!member && name == "_?_:_") {
    Node* node = parts_of(Op::conditional);
    drop_root_cost(*const_cast<Node*>(node->parts[1]));
    drop_root_cost(*const_cast<Node*>(node->parts[2]));
    return node;
  }
  if (member && call.arguments.size() == 1 && name == "orValue") return parts_of(Op::or_value);
  if (member && call.arguments.size() == 1 && name == "or") return parts_of(Op::or_optional);
  if (!member && name == "_==_") return parts_of(Op::equal);
  if (!member && name == "_!=_") return parts_of(Op::not_equal);

  std::vector<const Expression*> arguments;
  for (const ExpressionPtr& argument : call.arguments) arguments.push_back(argument.get());
  if (!member) {
    for (const std::string& candidate : environment_.candidates(name))
      if (environment_.functions().find(candidate)) return function(expression, candidate, arguments, false);
    return failure(expression, "undeclared reference to '" + name + "'");
  }
  // `a.b.f(x)` may be the function a.b.f.
  std::vector<std::string_view> parts = name_parts(*call.target);
  if (!parts.empty() && !local(parts[0])) {
    parts.push_back(name);
    for (const std::string& candidate : environment_.candidates(qualified_name(parts)))
      if (const auto* overloads = environment_.functions().find(candidate))
        if (std::ranges::any_of(*overloads, [](const FunctionOverload& o) { return !o.declared.member; }))
          return function(expression, candidate, arguments, false);
  }
  if (!environment_.functions().find(name))
    return failure(expression, "undeclared reference to '" + name + "'");
  arguments.insert(arguments.begin(), call.target.get());
  return function(expression, name, arguments, true);
}

void Compiler::compile_pattern(const Value& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  program_.patterns.emplace_back(pattern.text().data(), std::make_unique<RE2>(pattern.text(), options));
}

Node* Compiler::function(const Expression& expression, std::string_view name,
                         std::vector<const Expression*> arguments, bool member) {
  Node* node = make(Op::call, expression);
  node->name = text(std::string(name));
  for (const Expression* argument : arguments) node->parts.push_back(compile(*argument));
  const auto fits = [&](const FunctionOverload& overload) {
    return overload.declared.member == member && overload.arguments.size() == arguments.size();
  };
  const std::vector<const FunctionOverload*>* resolved = nullptr;
  if (checked_) {
    const auto found = checked_->overloads.find(&expression);
    if (found != checked_->overloads.end()) resolved = &found->second;
  }
  if (resolved) {
    node->overloads = *resolved;
  } else {
    for (const FunctionOverload& overload : *environment_.functions().find(name))
      if (fits(overload)) node->overloads.push_back(&overload);
  }
  node->unit_cost =
      node->overloads.size() > 1 && counted_by_overload(node->name, node->overloads[0]->declared.cost);
  if (node->overloads.empty()) return failure(expression, "no such overload: " + std::string(name));
  if (name == "@in" && node->parts[1]->op == Op::constant && node->parts[1]->constant.is(ValueKind::list)) {
    node->op = Op::in_constants;
    return node;
  }
  const auto is_constant_text = [&](std::size_t i) {
    return node->parts.size() > i && node->parts[i]->op == Op::constant &&
           node->parts[i]->constant.is(ValueKind::string);
  };
  if ((name == "matches" || name == "find" || name == "findAll") && is_constant_text(1))
    compile_pattern(node->parts[1]->constant);
  if (!member && folds(name) && node->parts.size() == 1 && node->parts[0]->op == Op::constant) {
    program_.root = node;
    Evaluation evaluation(program_, {}, program_.constants, UINT64_MAX);
    const Value value = evaluation.run();
    if (!value.is(ValueKind::error)) return constant(expression, value);
  }
  return node;
}

Node* Compiler::list(const Expression& expression, const ListLiteral& literal) {
  Node* node = make(Op::list, expression);
  node->cost = 10;
  bool constant_list = true;
  bool any_optional = false;
  for (const ListElement& element : literal.elements) {
    const Node* part = compile(*element.value);
    node->parts.push_back(part);
    node->optional.push_back(element.optional);
    any_optional |= element.optional;
    constant_list &= part->op == Op::constant && !part->constant.is(ValueKind::error) && !element.optional;
  }
  if (!any_optional) node->optional.clear();
  if (!constant_list) return node;
  Value* items = program_.constants.allocate_array<Value>(literal.elements.size());
  for (std::size_t i = 0; i < node->parts.size(); ++i) new (&items[i]) Value(node->parts[i]->constant);
  return constant(expression, Value::list(items, node->parts.size()));
}

Node* Compiler::map(const Expression& expression, const MapLiteral& literal) {
  Node* node = make(Op::map, expression);
  node->cost = 30;
  bool constant_map = true;
  bool any_optional = false;
  for (const MapEntry& entry : literal.entries) {
    for (const Expression* part : {entry.key.get(), entry.value.get()}) {
      const Node* compiled = compile(*part);
      node->parts.push_back(compiled);
      constant_map &=
          compiled->op == Op::constant && !compiled->constant.is(ValueKind::error) && !entry.optional;
    }
    node->optional.push_back(entry.optional);
    any_optional |= entry.optional;
  }
  if (!any_optional) node->optional.clear();
  if (!constant_map) return node;
  program_.root = node;
  Evaluation evaluation(program_, {}, program_.constants, UINT64_MAX);
  const Value value = evaluation.run();
  return value.is(ValueKind::error) ? node : constant(expression, value);
}

Node* Compiler::comprehension(const Expression& expression, const Comprehension& comprehension) {
  const Node* range = compile(*comprehension.range);
  const Op op = comprehension.macro == Macro::opt_map || comprehension.macro == Macro::opt_flat_map
                    ? Op::optional_map
                : comprehension.macro == Macro::sort_by ? Op::sort_by
                                                        : Op::comprehension;
  Node* node = make(op, expression);
  node->macro = comprehension.macro;
  node->two_variables = !comprehension.variable2.empty();
  node->slot = static_cast<std::uint32_t>(locals_.size());
  locals_.emplace_back(comprehension.variable, node->slot);
  if (node->two_variables) locals_.emplace_back(comprehension.variable2, node->slot + 1);
  program_.locals = std::max(program_.locals, static_cast<std::uint32_t>(locals_.size()));
  Node* filter = comprehension.filter ? compile(*comprehension.filter) : nullptr;
  Node* body = compile(*comprehension.body);
  node->parts = {range, body};
  if (filter) node->parts.push_back(filter);
  locals_.resize(node->slot);
  return node;
}

}  // namespace fairway::cel
