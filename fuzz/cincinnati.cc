// SPDX-License-Identifier: Apache-2.0

// Another update service's answer: reading it never crashes, and what was read is written and read back the
// same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "graph/changes.h"
#include "graph/paths.h"
#include "graph/picture.h"
#include "graph/update_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway::graph;
  const auto read = read_cincinnati_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!read) return 0;
  const auto text = to_cincinnati_json(read->graph);
  const auto again = read_cincinnati_json(text, "fuzz");
  if (!again || !again->problems.empty() || to_cincinnati_json(again->graph) != text) std::abort();
  if (!find_changes(read->graph, again->graph).empty()) std::abort();
  find_stranded(read->graph);
  if (!draw(read->graph, PictureFormat::dot, {})) std::abort();
  if (!draw(read->graph, PictureFormat::mermaid, {})) std::abort();
  return 0;
}
