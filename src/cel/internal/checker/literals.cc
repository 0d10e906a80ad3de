// SPDX-License-Identifier: Apache-2.0

// Literals whose parts have different types: cel-go looks at the types that the checker has found, of which
// dyn is one, after everything else is right.
#include "cel/internal/checker/checker_state.h"

namespace fairway::cel {

void CheckerState::check_parts(const ListLiteral& literal) {
  TypePtr first;
  for (const ListElement& element : literal.elements) {
    const TypePtr type = part_type(*element.value, element.optional);
    if (!first) {
      first = type;
    } else if (!check_same(first, type, element.value->span)) {
      return;
    }
  }
}

void CheckerState::check_parts(const MapLiteral& literal) {
  TypePtr key, value;
  for (const MapEntry& entry : literal.entries) {
    const TypePtr own_key = part_type(*entry.key, false), own_value = part_type(*entry.value, entry.optional);
    if (!key) {
      key = own_key;
      value = own_value;
      continue;
    }
    check_same(key, own_key, entry.key->span);
    check_same(value, own_value, entry.value->span);
  }
}

TypePtr CheckerState::part_type(const Expression& expression, bool optional) const {
  const TypePtr& type = checked_.type_of(expression);
  return optional && type->kind == TypeKind::optional ? type->parameters[0] : type;
}

bool CheckerState::check_same(const TypePtr& first, const TypePtr& other, Span span) {
  if (same_type(*first, *other)) return true;
  fail(span, "expected type '" + text(first) + "' but found '" + text(other) + "'");
  return false;
}

}  // namespace fairway::cel
