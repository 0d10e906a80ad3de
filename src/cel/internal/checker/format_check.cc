// SPDX-License-Identifier: Apache-2.0

// Calls of `format` whose template and list of items are written in the expression: cel-go checks them before
// anything is evaluated.
#include <algorithm>
#include <initializer_list>

#include "cel/internal/checker/checker_state.h"

namespace fairway::cel {

namespace {

/// A verb of a template: the kinds of values that it takes, and the words of cel-go for others.
struct FormatVerb {
  char letter;
  std::initializer_list<TypeKind> kinds;
  std::string_view refusal;
};

const FormatVerb format_verbs[] = {
    {'s',
     {TypeKind::list, TypeKind::map, TypeKind::integer, TypeKind::unsigned_integer, TypeKind::floating,
      TypeKind::boolean, TypeKind::string, TypeKind::timestamp, TypeKind::bytes, TypeKind::duration,
      TypeKind::type, TypeKind::null_type},
     "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, "
     "and timestamps"},
    {'d', {TypeKind::integer, TypeKind::unsigned_integer}, "decimal clause can only be used on integers"},
    {'f', {TypeKind::floating, TypeKind::string}, "fixed-point clause can only be used on doubles"},
    {'e', {TypeKind::floating, TypeKind::string}, "scientific clause can only be used on doubles"},
    {'b',
     {TypeKind::integer, TypeKind::unsigned_integer, TypeKind::boolean},
     "only integers and bools can be formatted as binary"},
    {'o', {TypeKind::integer, TypeKind::unsigned_integer}, "octal clause can only be used on integers"},
    {'x',
     {TypeKind::integer, TypeKind::unsigned_integer, TypeKind::string, TypeKind::bytes},
     "only integers, byte buffers, and strings can be formatted as hex"},
};

const FormatVerb* find_format_verb(char letter) {
  const auto* found = std::ranges::find(format_verbs, letter == 'X' ? 'x' : letter, &FormatVerb::letter);
  return found == std::end(format_verbs) ? nullptr : found;
}

/// Takes the precision before a verb, and returns what is wrong with it; "" if nothing is.
std::string take_precision(std::string_view& rest) {
  if (!rest.starts_with('.')) return {};
  rest.remove_prefix(1);
  const std::size_t digits = rest.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return "could not find end of precision specifier";
  rest.remove_prefix(digits);
  if (digits > 0) return {};
  return "error while converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax";
}

}  // namespace

const Expression* CheckerState::wrong_item(const Expression& item, std::span<const TypeKind> kinds) const {
  const TypeKind kind = checked_.type_of(item)->kind;
  if (kind != TypeKind::dyn && std::ranges::find(kinds, kind) == kinds.end()) return &item;
  // Only %s takes lists and maps.
  const Expression* wrong = nullptr;
  if (std::holds_alternative<ListLiteral>(item.node) || std::holds_alternative<MapLiteral>(item.node)) {
    for_each_child(item, [&](const Expression& part) {
      if (wrong == nullptr) wrong = wrong_item(part, kinds);
    });
  }
  return wrong;
}

void CheckerState::check_format(const Call& call) {
  const auto* literal = std::get_if<Literal>(&call.target->node);
  const auto* text = literal ? std::get_if<std::string>(&literal->value) : nullptr;
  const auto* items = std::get_if<ListLiteral>(&call.arguments[0]->node);
  if (text == nullptr || items == nullptr) return;
  // cel-go's place of a call is its parenthesis.
  const std::uint32_t open = call.arguments[0]->span.start - 1;
  const auto refuse = [&](std::string message) { fail({open, open + 1}, std::move(message)); };
  std::string_view rest = *text;
  std::size_t next = 0;
  for (std::size_t at; (at = rest.find('%')) != std::string_view::npos;) {
    rest.remove_prefix(at + 1);
    if (rest.starts_with('%')) {
      rest.remove_prefix(1);
      continue;
    }
    if (rest.empty()) return refuse("unexpected end of string");
    if (next >= items->elements.size()) return refuse("index " + std::to_string(next) + " out of range");
    if (const std::string wrong = take_precision(rest); !wrong.empty())
      return refuse("could not parse formatting clause: error while parsing precision: " + wrong);
    const FormatVerb* verb = find_format_verb(rest.front());
    if (verb == nullptr)
      return refuse("could not parse formatting clause: unrecognized formatting clause \"" +
                    std::string(1, rest.front()) + "\"");
    rest.remove_prefix(1);
    const Expression* wrong = wrong_item(*items->elements[next++].value, verb->kinds);
    if (wrong == nullptr) continue;
    fail(wrong->span, "error during formatting: " + std::string(verb->refusal) + ", was given " +
                          std::string(name_of(*checked_.type_of(*wrong))));
    return;
  }
  if (next < items->elements.size())
    refuse("too many arguments supplied to string.format (expected " + std::to_string(next) + ", got " +
           std::to_string(items->elements.size()) + ")");
}

}  // namespace fairway::cel
