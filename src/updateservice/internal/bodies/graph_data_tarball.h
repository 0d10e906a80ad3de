// SPDX-License-Identifier: Apache-2.0

// The tarball of graph data that the service offers for others to load: without what an audience may not see.
#pragma once

#include <string>
#include <string_view>

#include "graph/view.h"
#include "graphdata/load.h"

namespace fairway::updateservice {

/// Returns the files that an audience may see. All of them if nothing is hidden; else only those that are
/// understood to concern visible channels and versions. Removed are: hidden channels' files, feeders that
/// name them, blocked edges and metadata of hidden versions, their signatures, and every file whose meaning
/// is not known. A file that mentions something hidden elsewhere is rewritten as the view has it, without
/// comments and without the keys that reveal it. The result never recommends more than the whole.
graphdata::Files visible_files(const graphdata::Files& files, const graph::View& view);

/// Makes a gzipped tar of files: sorted, without times, owners or anything else that varies.
std::string make_archive(const graphdata::Files& files);

/// Returns whether a digest ("sha256:<hex>") belongs to hidden releases only.
bool digest_hidden(std::string_view digest, const graph::View& view);

/// Returns the digest of a signature's path below `signatures/` ("sha256=<hex>/signature-1" or
/// "sha256/<hex>/signature-1"), as pull specs write it: "sha256:<hex>"; "" for another path.
std::string digest_of_signature(std::string_view path);

}  // namespace fairway::updateservice
