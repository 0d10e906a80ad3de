// SPDX-License-Identifier: Apache-2.0

// The targets of a broken blocked-edges file: its `to`, read as leniently as possible, so that a typing error
// in it never opens the edges again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/semver.h"
#include "base/yaml.h"

namespace fairway::graphdata {

/// Returns the version in the text of a `to`: spaces, quotes, a comment and a leading `v` are dropped.
std::optional<Version> recover_version(std::string_view text);

/// Returns all versions in a `to` that names several (`4.8.0, 4.8.1`), in their order; a piece that is not a
/// version is skipped.
std::vector<Version> recover_versions(std::string_view text);

struct RecoveredTarget {
  Version to;
  yaml::Mark mark;
};

/// Returns the targets of a text that is not YAML: every line that begins with `to:` or `? to`; without any,
/// the first that is indented, in a list or in braces. Anchors, tags, comments, aliases and block scalars are
/// followed. Empty if no version can be recovered.
std::vector<RecoveredTarget> scan_for_targets(std::string_view text);

}  // namespace fairway::graphdata
