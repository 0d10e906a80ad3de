// SPDX-License-Identifier: Apache-2.0

// Signatures of release images, as clusters fetch them: {algo}={digest}/{signature}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graphdata/load.h"

namespace fairway::updateservice {

/// The name of a requested signature. Every part is checked character by character, so that no path can leave
/// its folder.
struct SignatureName {
  std::string algorithm;  ///< "sha256"
  std::string hex;        ///< hex digits of the image's digest
  std::string file;       ///< "signature-1"

  /// Reads "sha256=<hex>/signature-1", percent-encoded; nothing for anything else.
  static std::optional<SignatureName> parse(std::string_view encoded);
  /// Returns "sha256:<hex>".
  std::string digest() const { return algorithm + ":" + hex; }
};

/// Returns the signature among graph data's files, in `signatures/sha256=<hex>/` or
/// `signatures/sha256/<hex>/`.
std::optional<std::string> find_signature(const SignatureName& name, const graphdata::Files& files);
/// Reads the signature from below a folder, in the same places; links that lead out of it are not followed.
std::optional<std::string> read_signature(const SignatureName& name, const std::string& directory);

}  // namespace fairway::updateservice
