// SPDX-License-Identifier: Apache-2.0

// Whatever the text: no crash, a tree whose size is bounded by that of the text, and a position in the text
// for every node. What it is in JSON can be written and read again.
#include "base/yaml.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

struct Size {
  std::size_t nodes = 0, bytes = 0;
};

void check(const fairway::yaml::Node& node, int depth, Size& size) {
  require(node.mark.line >= 1 && node.mark.column >= 1 && depth <= 64);
  ++size.nodes;
  size.bytes += node.scalar.size();
  for (const auto& item : node.items) check(item, depth + 1, size);
  for (const auto& [key, value] : node.entries) {
    check(key, depth + 1, size);
    check(value, depth + 1, size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = fairway::yaml::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed) {
    require(!parsed.error().message.empty() && parsed.error().mark.line >= 1);
    return 0;
  }
  Size all;
  for (const auto& document : parsed->documents) {
    check(document, 0, all);
    const std::string text = fairway::json::to_text(fairway::yaml::to_json(document));
    const auto again = fairway::json::parse(text);
    require(again && fairway::json::to_text(*again) == text);
  }
  // What is written out has a node for each byte at most, and one for what is left out behind it (`[a: ]`);
  // an escape of six characters makes at most three bytes. Aliases add the limits of base/yaml.h.
  require(all.nodes <= 2 * size + 2 + std::max<std::size_t>(100'000, size));
  require(all.bytes <= 2 * size + std::max<std::size_t>(1'000'000, 10 * size));
  return 0;
}
