// SPDX-License-Identifier: Apache-2.0

// Release images that are made here, of a folder of manifests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semver.h"
#include "oci/new_image.h"
#include "release/contents.h"

namespace fairway::release {

/// The metadata of a release, and its architecture.
struct Description {
  Version version;
  std::vector<Version> previous, next;          ///< versions that update to it, and that it updates to
  std::map<std::string, std::string> metadata;  ///< "url" and others
  std::string arch;                             ///< "amd64"
};

/// A release image, and its contents as its readers see them.
struct NewRelease {
  oci::NewImage image;
  Contents contents;
};

/// Makes the image of a release from the files of its folder release-manifests, without its metadata, and
/// reads it back from the image's bytes. The same files and the same description give the same bytes; the
/// order of versions does not matter. Errors: `invalid` for files that bring a `release-metadata` of their
/// own, an architecture that is not made of lower-case letters and digits, metadata that could not be read,
/// and a file that readers of the image would not find, such as ".wh.a.yaml"; `too_large` for files beyond
/// the limits of readers.
Result<NewRelease> make_release(Files files, const Description& description);

}  // namespace fairway::release
