// SPDX-License-Identifier: Apache-2.0

// Image layers and graph-data archives: whatever the bytes and however they are cut into pieces, reading them
// ends, stays within its limits, and hands out clean paths only.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "oci/layers.h"
#include "release/internal/layers.h"
#include "release/metadata.h"
#include "sources/internal/read/graph_data_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  if (size < 2) return 0;
  const std::size_t piece = data[0] == 0 ? size : data[0];
  const bool stop_at_first = (data[1] & 1) != 0, record_unusable = (data[1] & 2) != 0,
             give_up = (data[1] & 4) != 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  constexpr std::size_t max_file = 4096, max_kept = 16384;
  oci::TarReader reader(
      {.wanted = [](std::string_view path) { return path.find("skip") == std::string_view::npos; },
       .max_file_bytes = max_file,
       .max_kept_bytes = max_kept,
       .max_unpacked_bytes = 1 << 20,
       .stop_at_first = stop_at_first,
       .record_unusable = record_unusable});
  sources::GraphDataArchive archive({.unpacked_bytes = 1 << 20});
  release::Layers layers(release::Part::metadata, {.unpacked_bytes = 1 << 20});
  bool more = true;
  while (more && !bytes.empty()) {
    const auto next = bytes.substr(0, piece);
    bytes.remove_prefix(next.size());
    const auto pushed = reader.push(next);
    more = pushed && *pushed;
    static_cast<void>(archive.push(next));
    layers.push(next);
  }
  if (!give_up) {
    static_cast<void>(reader.finish());
    static_cast<void>(archive.finish());
    if (layers.end_layer())
      static_cast<void>(release::read_metadata({.arch = "amd64", .files = layers.files()}, "fuzz"));
  }
  std::size_t kept = 0;
  for (const auto& [path, content] : reader.files()) {
    if (path.empty() || path.front() == '/' || path == ".." || path.starts_with("../") ||
        path.find("/../") != std::string::npos || path.ends_with("/..")) {
      std::abort();
    }
    if (content.size() > max_file) std::abort();
    kept += content.size();
  }
  if (kept > max_kept + max_file) std::abort();
  return 0;
}
