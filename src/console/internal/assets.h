// SPDX-License-Identifier: Apache-2.0

// The files of the console as the build has embedded them: console/build.mjs writes the table, and
// cmake/console.cmake an empty one where Node.js was missing.
#pragma once

#include <span>
#include <string_view>

namespace fairway::console {

/// One file of the console.
struct Asset {
  std::string_view path;  ///< below /console/: "index.html", "assets/app-3F2A.js"; names below assets/ have a
                          ///< hash of the content
  std::string_view media_type;
  std::string_view hash;                ///< first 32 hex digits of the SHA-256 of the file
  std::span<const unsigned char> gzip;  ///< the file, compressed with gzip
};

/// Returns the embedded files; none where the console was left out of the build.
std::span<const Asset> embedded_assets();

}  // namespace fairway::console
