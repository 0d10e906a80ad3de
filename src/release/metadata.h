// SPDX-License-Identifier: Apache-2.0

// The metadata of a release: its version, and what it may be updated from.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/release.h"
#include "release/contents.h"

namespace fairway::release {

/// A release's metadata, checked.
struct Metadata {
  graph::Release release;  ///< without payload, unless the document names one
  std::string document;    ///< compact JSON, to be cached
};

/// Reads the text of a release's metadata; see `graph::read_release_metadata` for the errors. `source` is the
/// image's pull spec, for messages.
Result<Metadata> read_metadata(std::string_view text, std::string_view arch, std::string_view source);

/// Reads the metadata of an image. Errors: those of the other overload, with the path of the file; `invalid`
/// for an image without metadata, which is no release.
Result<Metadata> read_metadata(const Contents& image, std::string_view source);

}  // namespace fairway::release
