// SPDX-License-Identifier: Apache-2.0

// Whatever the text: no crash, and what a query is printed as parses to the same tree.
#include <cstdint>
#include <cstdlib>

#include "promql/parser/parser.h"
#include "promql/parser/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway::promql;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Dialect dialect : {Dialect::prometheus3, Dialect::prometheus2}) {
    const auto parsed = parse(text, dialect);
    if (!parsed) {
      if (to_string(parsed.error(), text, dialect).empty()) std::abort();
      continue;
    }
    // 2.x prints some durations and numbers in a form that only 3 reads.
    const auto again = parse(print(**parsed, Dialect::prometheus3), Dialect::prometheus3);
    if (dialect == Dialect::prometheus3 && (!again || !same_tree(**parsed, **again))) std::abort();
  }
  return 0;
}
