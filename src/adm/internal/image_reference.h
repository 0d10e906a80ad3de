// SPDX-License-Identifier: Apache-2.0

// Pull specs of images, as far as an update needs them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::adm {

/// A reference "REGISTRY/REPOSITORY:TAG@DIGEST".
struct ImageReference {
  std::string repository, tag, digest;

  /// Parses a reference. An Error (`invalid`): "invalid reference format", and the reason.
  static Result<ImageReference> parse(std::string_view text);
};

}  // namespace fairway::adm
