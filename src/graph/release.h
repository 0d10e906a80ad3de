// SPDX-License-Identifier: Apache-2.0

// A release as its image's metadata describes it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/semver.h"
#include "graph/problem.h"

namespace fairway::graph {

struct Release {
  Version version = {};      ///< without build metadata
  std::string arch = {};     ///< "amd64", "multi", ...
  std::string payload = {};  ///< pull spec, by digest where known
  std::map<std::string, std::string> metadata = {};
  /// Versions (as written, build metadata allowed) with an update to this one, and that this one updates to.
  std::vector<std::string> previous = {}, next = {};
  std::string source = {};  ///< its origin, for messages: "releases.json", "oci://host/repo:tag"
};

/// Reads one `cincinnati-metadata-v0` document: {"kind","version","previous","next","metadata","image"?}.
/// `arch` is the image's; build metadata in `version` that names another architecture is an error, as are a
/// wrong kind, an invalid version, and lists or values of another type. Unknown keys are ignored.
Result<Release> read_release_metadata(const json::Value& document, std::string_view arch,
                                      std::string_view source);

struct ReleaseList {
  std::vector<Release> releases = {};
  std::vector<Problem> problems = {};
};

/// Reads a release list {"arch","releases":[...]}. An invalid entry is left out and reported in `problems`;
/// one without `image` is kept with an empty payload: no update into it is served. A text that is not a
/// release list, or has a key twice, is an Error.
Result<ReleaseList> read_release_list(std::string_view text, std::string_view source);

}  // namespace fairway::graph
