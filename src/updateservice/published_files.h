// Graph data as the tarball that others may load, without what an audience may not see.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "graph/snapshot.h"
#include "graphdata/load.h"

namespace fairway::updateservice {

/// The files that somebody may see. All of them where nothing is hidden; else only those that are understood
/// to concern visible channels and versions: hidden channels' files go, with feeders that name them, blocked
/// edges and metadata of versions that are visible nowhere, their signatures, and every file whose meaning is
/// not known. A file that mentions a hidden channel elsewhere (in a comment) is written anew without
/// comments. What is left never recommends more than the whole does. `name_visible` decides about names that
/// are no channel of the snapshot (feeders may name any).
graphdata::Files visible_files(const graphdata::Files& files, const graph::Snapshot& snapshot,
                               const graph::Visibility& visible,
                               const std::function<bool(std::string_view)>& name_visible);

/// A value of a release's metadata without the versions that are visible nowhere, where its key holds a list
/// of versions
/// (`...graph.previous.add` and the like); nothing where none is left.
std::optional<std::string> visible_metadata(std::string_view key, std::string_view value,
                                            const graph::Snapshot& snapshot,
                                            const graph::Visibility& visible);

/// A gzipped tar of files: sorted, without times, owners or anything else that varies.
std::string make_archive(const graphdata::Files& files);

/// Whether a digest ("sha256:<hex>") is that of releases which are all visible nowhere.
bool digest_hidden(std::string_view digest, const graph::Snapshot& snapshot,
                   const graph::Visibility& visible);

/// The digest of a signature's path below `signatures/` ("sha256=<hex>/signature-1" or
/// "sha256/<hex>/signature-1"), as pull specs write it: "sha256:<hex>"; "" for another path.
std::string digest_of_signature(std::string_view path);

}  // namespace fairway::updateservice
