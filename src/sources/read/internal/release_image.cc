#include "sources/read/internal/release_image.h"

#include <utility>

#include "base/json.h"
#include "base/json_unambiguous.h"

namespace fairway::sources {

ReleaseLayer::ReleaseLayer(const LayerLimits& limits)
    : reader_({.wanted = [](std::string_view path) { return path == release_metadata_path; },
               .max_file_bytes = limits.metadata_bytes,
               .max_unpacked_bytes = limits.unpacked_bytes,
               .stop_at_first = true}) {}

void ReleaseLayer::push(std::string_view piece) {
  if (!unpacked_) return;
  if (auto pushed = reader_.push(piece); !pushed) unpacked_ = fail(std::move(pushed.error()));
}

Result<ReleaseLayer::Findings> ReleaseLayer::finish() {
  if (unpacked_) unpacked_ = reader_.finish();
  if (!unpacked_) return fail(unpacked_.error());
  Findings findings{.metadata = {}, .hidden = reader_.hides(release_metadata_path)};
  const auto file = reader_.files().find(std::string(release_metadata_path));
  if (file != reader_.files().end()) findings.metadata = file->second;
  return findings;
}

Result<ReleaseMetadata> read_release_metadata(std::string_view text, std::string_view arch,
                                              std::string_view source) {
  const auto document = json::parse_unambiguous(text);
  if (!document) return fail(document.error());
  auto release = graph::read_release_metadata(*document, arch, source);
  if (!release) return fail(release.error());
  return ReleaseMetadata{.release = std::move(*release), .document = json::to_text(*document)};
}

}  // namespace fairway::sources
