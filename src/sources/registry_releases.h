// SPDX-License-Identifier: Apache-2.0

// Releases from a registry: every tag of a repository; each image is read once and cached.
#pragma once

#include <memory>

#include "oci/registry.h"
#include "sources/source.h"

namespace fairway::sources {

/// Makes the source `oci://HOST[:PORT]/REPOSITORY`. `repository` has neither tag nor digest.
///
/// A fetch lists the tags, resolves the digest of each (one HEAD), and reads images that are not in its cache
/// below `data_directory`: manifest, config for the architecture, and layers from the top down until
/// `release-manifests/release-metadata`. Tags of signatures and attestations (".sig", ".att", ".sbom",
/// "sha256-<hex>") are skipped. An image that cannot be read is left out and reported in `problems`
/// (release_left_out; the place's file is the pull spec with its tag); on a transient error, if the tag's
/// last digest is known, that release is kept, and the problem says so. With public keys, an image needs a
/// valid signature.
///
/// fetch fails if the tags cannot be listed, or if more than half of the images are missing because of
/// transient errors or the deadline. Images that were read are cached in any case, so that the next fetch
/// continues from there.
Result<std::unique_ptr<ReleaseSource>> make_registry_release_source(const oci::Reference& repository,
                                                                    const Options& options);

/// Makes that source with the retries and backoff of `registry`; its other members are set from `options`.
Result<std::unique_ptr<ReleaseSource>> make_registry_release_source(const oci::Reference& repository,
                                                                    const Options& options,
                                                                    oci::RegistryOptions registry);

}  // namespace fairway::sources
