// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/syntax/printer.h"

#include <charconv>
#include <cmath>

#include "cel/internal/syntax/quoted.h"

namespace fairway::cel {

namespace {

enum Binding { conditional = 1, logical_or, logical_and, relation, sum, product, unary, postfix, atom };

struct Operator {
  std::string_view function;
  std::string_view text;
  Binding binding;
};

constexpr Operator operators[] = {
    {"_||_", " || ", logical_or}, {"_&&_", " && ", logical_and}, {"_==_", " == ", relation},
    {"_!=_", " != ", relation},   {"_<_", " < ", relation},      {"_<=_", " <= ", relation},
    {"_>_", " > ", relation},     {"_>=_", " >= ", relation},    {"@in", " in ", relation},
    {"_+_", " + ", sum},          {"_-_", " - ", sum},           {"_*_", " * ", product},
    {"_/_", " / ", product},      {"_%_", " % ", product},
};

const Operator* binary(const Call& call) {
  if (call.target) return nullptr;
  for (const Operator& op : operators)
    if (op.function == call.function) return &op;
  return nullptr;
}

Binding binding_of(const Expression& expression) {
  if (const auto* call = std::get_if<Call>(&expression.node)) {
    if (const Operator* op = binary(*call)) return op->binding;
    if (call->function == "_?_:_") return conditional;
    if (call->function == "!_" || call->function == "-_") return unary;
    return postfix;
  }
  if (const auto* literal = std::get_if<Literal>(&expression.node)) {
    // `-1.f()` reads as (-1).f(), but `1.f` would be read as a number.
    const auto* number = std::get_if<std::int64_t>(&literal->value);
    const auto* floating = std::get_if<double>(&literal->value);
    if ((number && *number < 0) || (floating && std::signbit(*floating))) return unary;
  }
  return atom;
}

void append_double(std::string& out, double value) {
  char text[64];
  const auto [end, status] = std::to_chars(text, text + sizeof text, value);
  std::string_view digits(text, static_cast<std::size_t>(end - text));
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

class Printer {
 public:
  void at_least(const Expression& expression, Binding binding) {
    if (binding_of(expression) < binding) {
      out_ += '(';
      std::visit(*this, expression.node);
      out_ += ')';
    } else {
      std::visit(*this, expression.node);
    }
  }

  void operator()(const Literal& literal) {
    if (std::holds_alternative<NullLiteral>(literal.value)) out_ += "null";
    if (const auto* boolean = std::get_if<bool>(&literal.value)) out_ += *boolean ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&literal.value)) out_ += std::to_string(*integer);
    if (const auto* number = std::get_if<std::uint64_t>(&literal.value))
      out_ += std::to_string(*number) + "u";
    if (const auto* floating = std::get_if<double>(&literal.value)) append_double(out_, *floating);
    if (const auto* text = std::get_if<std::string>(&literal.value)) append_quoted(out_, *text, false);
    if (const auto* bytes = std::get_if<BytesLiteral>(&literal.value)) {
      append_quoted(out_, bytes->bytes, true);
    }
  }
  void operator()(const Identifier& name) { out_ += name.name; }
  void operator()(const Select& select) {
    if (select.test_only) out_ += "has(";
    at_least(*select.operand, postfix);
    out_ += '.';
    append_field(select.field);
    if (select.test_only) out_ += ')';
  }
  void operator()(const Call& call) {
    if (const Operator* op = binary(call)) return chain(call, *op);
    if (call.target) {
      at_least(*call.target, postfix);
      out_ += '.' + call.function;
      return list(call.arguments);
    }
    if (call.function == "_?_:_") {
      at_least(*call.arguments[0], logical_or);
      out_ += " ? ";
      at_least(*call.arguments[1], logical_or);
      out_ += " : ";
      at_least(*call.arguments[2], conditional);
    } else if (call.function == "!_" || call.function == "-_") {
      out_ += call.function[0];
      const std::size_t from = out_.size();
      at_least(*call.arguments[0], postfix);
      // `-1[0]` would be the index of a negative number.
      if (call.function == "-_" && out_[from] >= '0' && out_[from] <= '9') {
        out_.insert(from, "(");
        out_ += ')';
      }
    } else if (call.function == "_[_]" || call.function == "_[?_]") {
      at_least(*call.arguments[0], postfix);
      out_ += call.function == "_[_]" ? "[" : "[?";
      at_least(*call.arguments[1], conditional);
      out_ += ']';
    } else if (call.function == "_?._") {
      at_least(*call.arguments[0], postfix);
      out_ += ".?";
      append_field(std::get<std::string>(std::get<Literal>(call.arguments[1]->node).value));
    } else {
      out_ += call.function;
      list(call.arguments);
    }
  }
  void operator()(const ListLiteral& literal) {
    out_ += '[';
    for (const ListElement& element : literal.elements) {
      if (&element != &literal.elements.front()) out_ += ", ";
      if (element.optional) out_ += '?';
      at_least(*element.value, conditional);
    }
    out_ += ']';
  }
  void operator()(const MapLiteral& literal) {
    out_ += '{';
    for (const MapEntry& entry : literal.entries) {
      if (&entry != &literal.entries.front()) out_ += ", ";
      if (entry.optional) out_ += '?';
      at_least(*entry.key, conditional);
      out_ += ": ";
      at_least(*entry.value, conditional);
    }
    out_ += '}';
  }
  void operator()(const MessageLiteral& literal) {
    out_ += literal.name + "{";
    for (const MessageField& field : literal.fields) {
      if (&field != &literal.fields.front()) out_ += ", ";
      if (field.optional) out_ += '?';
      append_field(field.name);
      out_ += ": ";
      at_least(*field.value, conditional);
    }
    out_ += '}';
  }
  void operator()(const Comprehension& macro) {
    at_least(*macro.range, postfix);
    out_ += '.';
    out_ += name_of(macro.macro, !macro.variable2.empty());
    out_ += '(' + macro.variable;
    if (!macro.variable2.empty()) out_ += ", " + macro.variable2;
    if (macro.filter) {
      out_ += ", ";
      at_least(*macro.filter, conditional);
    }
    out_ += ", ";
    at_least(*macro.body, conditional);
    out_ += ')';
  }

  std::string take() { return std::move(out_); }

 private:
  void chain(const Call& call, const Operator& op) {
    // && and || have all their terms; the others bind to the left.
    const bool logical = op.binding == logical_or || op.binding == logical_and;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i > 0) out_ += op.text;
      at_least(*call.arguments[i], logical || i > 0 ? Binding(op.binding + 1) : op.binding);
    }
  }
  void list(const std::vector<ExpressionPtr>& arguments) {
    out_ += '(';
    for (const ExpressionPtr& argument : arguments) {
      if (&argument != &arguments.front()) out_ += ", ";
      at_least(*argument, conditional);
    }
    out_ += ')';
  }
  void append_field(const std::string& field) {
    const bool plain = field.find_first_of(".-/ ") == std::string::npos && field != "in" && field != "true" &&
                       field != "false" && field != "null" && !(field[0] >= '0' && field[0] <= '9');
    out_ += plain ? field : "`" + field + "`";
  }

  std::string out_;
};

}  // namespace

std::string print(const Expression& expression) {
  Printer printer;
  printer.at_least(expression, conditional);
  return printer.take();
}

}  // namespace fairway::cel
