// Expressions of graph data, searched without a trace.
#pragma once

#include "base/pattern.h"

namespace fairway::graph {

/// The expression compiled once more. Searches keep what they find out about an expression within it, up to
/// some 100 KiB: in one of graph data that stays as long as the graph is served, for a thousand of them.
inline Pattern copy_of(const Pattern& pattern) {
  return Pattern::compile(pattern.text()).value_or(pattern);
}

}  // namespace fairway::graph
