// SPDX-License-Identifier: Apache-2.0

#include "release/metadata.h"

#include <utility>

#include "base/json.h"
#include "base/json_unambiguous.h"

namespace fairway::release {

Result<Metadata> read_metadata(std::string_view text, std::string_view arch, std::string_view source) {
  const auto document = json::parse_unambiguous(text);
  if (!document) return fail(document.error());
  auto release = graph::read_release_metadata(*document, arch, source);
  if (!release) return fail(release.error());
  return Metadata{.release = *std::move(release), .document = json::to_text(*document)};
}

Result<Metadata> read_metadata(const Contents& image, std::string_view source) {
  const std::string path = std::string(folder) + "/" + std::string(metadata_file);
  const auto file = image.files.find(std::string(metadata_file));
  if (file == image.files.end()) {
    return fail(ErrorCode::invalid, "the image is no release: none of its layers has the file " + path);
  }
  auto read = read_metadata(file->second, image.arch, source);
  if (!read) return fail(read.error().within("reading " + path));
  return read;
}

}  // namespace fairway::release
