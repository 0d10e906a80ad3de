// SPDX-License-Identifier: Apache-2.0

// Graph data of any content: loading and lint never crash, and no blocked-edges file is without effect in
// silence. The input is files, each behind a line "@ PATH"; what stands before the first is a blocked-edges
// file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/text.h"
#include "graphdata/internal/blocked_edge.h"
#include "graphdata/lint/lint.h"

namespace {

using namespace fairway;

graphdata::Files to_files(std::string_view input) {
  graphdata::Files files{
      {"version", "1.2.0\n"},
      {"channels/stable-4.7.yaml", "name: stable-4.7\nversions: [4.6.23, 4.7.0, 4.7.4+amd64]\n"}};
  std::string path = "blocked-edges/4.7.4-x.yaml";
  while (true) {
    const std::size_t next = input.starts_with("@ ") ? 0 : input.find("\n@ ");
    if (next != 0 || !input.starts_with("@ ")) {
      const std::size_t end = next == std::string_view::npos ? input.size() : next + 1;
      if (end > 0) files[path] = std::string(input.substr(0, end));
      if (next == std::string_view::npos) return files;
      input.remove_prefix(end);
    }
    input.remove_prefix(2);
    const std::size_t end = std::min(input.find('\n'), input.size());
    path = std::string(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
    if (input.empty()) {
      files[path] = "";
      return files;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const graphdata::Files files = to_files({reinterpret_cast<const char*>(data), size});
  const auto loaded = graphdata::load(files, {.source = "fuzz", .problem_url = "https://example.com/"});
  bool not_understood = !loaded;
  if (loaded) {
    for (const auto& [path, text] : files) {
      // A name that nobody can be told is shown as it can be.
      const auto of_file = [shown = is_utf8(path) ? path : printable(path)](const graph::Block& block) {
        return block.file == shown;
      };
      if (graphdata::is_blocked_edge(path) && std::ranges::none_of(loaded->blocks, of_file)) std::abort();
    }
    for (const graph::Block& block : loaded->blocks) {
      const bool removed = block.effect == graph::Block::Effect::removed;
      if (block.effect == graph::Block::Effect::not_understood) not_understood = true;
      if ((block.effect == graph::Block::Effect::not_understood) == block.from.has_value()) std::abort();
      // What is served must be what every consumer can read.
      if (!removed && (block.risk.matching_rules.empty() || !json::parse(block.risk.body()))) std::abort();
      if (!removed && (block.risk.url.empty() || block.risk.name.empty() || block.risk.message.empty()))
        std::abort();
    }
  }
  const auto findings = graphdata::lint({.files = files, .base = {}, .releases = {}});
  const auto is_error = [](const graphdata::Finding& finding) {
    return finding.severity == graphdata::Severity::error;
  };
  if (not_understood && std::ranges::none_of(findings, is_error)) std::abort();
  return 0;
}
