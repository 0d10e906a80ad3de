// The tarball of graph data that the service offers for others to load: without what an audience may not see.
#pragma once

#include <string>
#include <string_view>

#include "graph/view.h"
#include "graphdata/load.h"

namespace fairway::updateservice {

/// The files that an audience may see. All of them where nothing is hidden; else only those that are
/// understood to concern visible channels and versions: hidden channels' files go, with feeders that name
/// them, blocked edges and metadata of hidden versions, their signatures, and every file whose meaning is not
/// known. A file that mentions something hidden elsewhere is written anew as the view tells it, without
/// comments and without keys that say it. What is left never recommends more than the whole does.
graphdata::Files visible_files(const graphdata::Files& files, const graph::View& view);

/// A gzipped tar of files: sorted, without times, owners or anything else that varies.
std::string make_archive(const graphdata::Files& files);

/// Returns whether a digest ("sha256:<hex>") is that of releases which are all hidden.
bool digest_hidden(std::string_view digest, const graph::View& view);

/// The digest of a signature's path below `signatures/` ("sha256=<hex>/signature-1" or
/// "sha256/<hex>/signature-1"), as pull specs write it: "sha256:<hex>"; "" for another path.
std::string digest_of_signature(std::string_view path);

}  // namespace fairway::updateservice
