// Releases out of a registry: every tag of a repository, each image read once.
#pragma once

#include <memory>

#include "oci/registry.h"
#include "sources/source.h"

namespace fairway::sources {

/// The source `oci://HOST[:PORT]/REPOSITORY`. `repository` has neither tag nor digest.
///
/// A fetch lists the tags, asks for the digest of each (one HEAD), and reads what its cache below
/// `data_directory` does not know yet: manifest, config for the architecture, and layers from the top down
/// until `release-manifests/release-metadata`. Tags of signatures and attestations (".sig", ".att", ".sbom",
/// "sha256-<hex>") are passed over. An image that cannot be read is left out and named in `problems`
/// (release_left_out, the place's file is the pull spec with its tag); where that is a fault of the moment
/// and the tag's last digest is known, that release stays, and the problem says so. With public keys, an
/// image counts only with a signature that verifies.
///
/// fetch fails where the tags cannot be listed, and where more than half of the images were lost to faults of
/// the moment or to the deadline. What was read is cached in any case, so that the next one goes on from
/// there.
Result<std::unique_ptr<ReleaseSource>> make_registry_release_source(const oci::Reference& repository,
                                                                    const Options& options);

/// The same, with the registry client's retries and pauses as given; the rest of `registry` is filled from
/// `options`.
Result<std::unique_ptr<ReleaseSource>> make_registry_release_source(const oci::Reference& repository,
                                                                    const Options& options,
                                                                    oci::RegistryOptions registry);

}  // namespace fairway::sources
