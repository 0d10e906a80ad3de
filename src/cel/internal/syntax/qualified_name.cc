// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/syntax/qualified_name.h"

namespace fairway::cel {

std::vector<std::string_view> name_parts(const Expression& expression) {
  if (const auto* name = std::get_if<Identifier>(&expression.node)) return {name->name};
  const auto* select = std::get_if<Select>(&expression.node);
  if (!select || select->test_only) return {};
  std::vector<std::string_view> parts = name_parts(*select->operand);
  if (!parts.empty()) parts.push_back(select->field);
  return parts;
}

std::string qualified_name(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

}  // namespace fairway::cel
