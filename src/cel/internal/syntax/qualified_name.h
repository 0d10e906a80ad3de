// SPDX-License-Identifier: Apache-2.0

// Selections that may be one qualified name: `a.b.c`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/syntax/ast.h"

namespace fairway::cel {

/// Returns the parts of the name that a tree of selections spells, which live as long as the tree; none if it
/// is anything else.
std::vector<std::string_view> name_parts(const Expression& expression);

/// Joins the parts with dots.
std::string qualified_name(const std::vector<std::string_view>& parts);

}  // namespace fairway::cel
