// SPDX-License-Identifier: Apache-2.0

// Writes a syntax tree as text.
#pragma once

#include <string>

#include "cel/syntax/ast.h"

namespace fairway::cel {

/// Returns one line that parses to the same tree, with parentheses only where they are needed.
std::string print(const Expression& expression);

}  // namespace fairway::cel
