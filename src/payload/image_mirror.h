// SPDX-License-Identifier: Apache-2.0

// Registry mirrors: where an image is pulled from in place of its own registry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oci/registry.h"

namespace fairway::payload {

/// `--image-mirror FROM=TO`: images below FROM are at TO as well, under the same digests.
struct ImageMirror {
  std::string from, to;  ///< "HOST[:PORT][/PATH]", without a slash at the end

  /// Parses "quay.io/openshift-release-dev=mirror.example.com:5000/releases". Errors (`invalid`): no "=", a
  /// side that is no repository or part of one, or has a tag or digest.
  static Result<ImageMirror> parse(std::string_view text);
};

/// Returns the places to pull an image from, in order: the mirrors whose `from` is the image's repository or
/// a folder of it, the longest first, and then its own registry. The digest stays the same.
std::vector<oci::Reference> pull_candidates(const oci::Reference& image,
                                            const std::vector<ImageMirror>& mirrors);

}  // namespace fairway::payload
