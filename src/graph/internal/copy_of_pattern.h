// SPDX-License-Identifier: Apache-2.0

// Expressions of graph data, searched without a trace.
#pragma once

#include "base/pattern.h"

namespace fairway::graph {

/// Compiles the expression once more. A search caches its states within the expression, up to some 100 KiB;
/// in an expression of graph data they would stay as long as the graph is served, for a thousand expressions.
inline Pattern copy_of(const Pattern& pattern) {
  return Pattern::compile(pattern.text()).value_or(pattern);
}

}  // namespace fairway::graph
