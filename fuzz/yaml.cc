// Whatever the text: no crash, no unbounded tree, and every node has a position in the text.
#include "base/yaml.h"

#include <cstdint>
#include <cstdlib>

namespace {
void check(const fairway::yaml::Node& node) {
  if (node.mark.line < 1 || node.mark.column < 1) std::abort();
  for (const auto& item : node.items) check(item);
  for (const auto& [key, value] : node.entries) {
    check(key);
    check(value);
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = fairway::yaml::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  for (const auto& document : parsed->documents) {
    check(document);
    if (fairway::json::to_text(fairway::yaml::to_json(document)).empty()) std::abort();
  }
  return 0;
}
