// SPDX-License-Identifier: Apache-2.0

// Graph data from a registry: an image that holds the repository in its layers, or an OCI artifact.
#pragma once

#include <memory>

#include "oci/registry.h"
#include "sources/source.h"

namespace fairway::sources {

/// Makes the source `oci://HOST[:PORT]/REPOSITORY[:TAG|@DIGEST]`; without tag and digest the tag is "latest".
///
/// A fetch resolves the tag's digest and reads the image only if it has changed: its layers (tar, plain, gzip
/// or zstd) from bottom to top with whiteouts, and in them the folder that GraphDataArchive finds. From an
/// index the first linux/amd64 image, or else the first, is read. With public keys, the image needs a valid
/// signature. `revision` is the digest. `watch` is not supported and returns false.
Result<std::unique_ptr<GraphDataSource>> make_registry_graph_data_source(const oci::Reference& reference,
                                                                         const Options& options);

}  // namespace fairway::sources
