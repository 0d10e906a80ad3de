// SPDX-License-Identifier: Apache-2.0

// The kinds of sources, one a file; sources.cc chooses among them by how a source is written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sources/source.h"

namespace fairway::sources {

/// Makes a source of a release list in a file. It is read each time, and parsed again only if its bytes have
/// changed.
std::unique_ptr<ReleaseSource> make_file_release_source(std::string path);

/// Makes a source of another update service: one channel and one architecture of it, by the `channel` and
/// `arch` (default amd64) of the URL's query. An Error: the URL is wrong, or names no channel.
Result<std::unique_ptr<ReleaseSource>> make_upstream_source(std::string_view url, const Options& options);

/// Makes a source of `git+https://...#ref`, `git+http://...#ref` or `git+file:///...#ref`. Remote
/// repositories are kept under the data directory (or in a temporary folder without one) with all their
/// history: libgit2 1.5 cannot fetch less.
Result<std::unique_ptr<GraphDataSource>> make_git_source(std::string_view spec, const Options& options);

/// Makes a source of a tarball (plain, gzip or zstd) over https or http, revalidated by its ETag and
/// Last-Modified.
Result<std::unique_ptr<GraphDataSource>> make_tarball_source(std::string_view url, const Options& options);

}  // namespace fairway::sources
