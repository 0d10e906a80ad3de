// SPDX-License-Identifier: Apache-2.0

// Sources of releases and graph data. A source is fetched periodically, and caches what makes fetching
// cheap.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "graph/release.h"
#include "graph/snapshot.h"
#include "graphdata/load.h"
#include "release/access.h"

namespace fairway::sources {

/// Options of all sources, set by the flags of `fairway serve` and `fairway graph`.
struct Options {
  std::string data_directory;  ///< for caches; empty: nothing is stored on disk
  /// Access to registries, and the keys whose signatures count; its CA files count for all sources. Without
  /// keys signatures are not required.
  release::Access access;
  int concurrency = 8;                 ///< --scrape-concurrency: requests in flight per registry
  std::chrono::seconds deadline{600};  ///< --scrape-deadline: for one fetch of one source
  Clock* clock = &Clock::system();     ///< outlives the sources
};

/// Progress of a long fetch; called often, from any thread. `total` 0: not known yet.
using Progress = std::function<void(std::string_view what, std::size_t done, std::size_t total)>;

struct FetchContext {
  std::stop_token stop;
  Progress progress;  ///< may be empty
};

struct FetchedReleases {
  std::string source;    ///< ReleaseSource::name(); set by the builder, and used by `restore`
  std::string revision;  ///< equal non-empty revisions of one source mean equal contents; empty: unknown
  std::vector<graph::Release> releases;
  std::vector<graph::UpstreamGraph> upstreams;
  std::vector<graph::Problem> problems;
  std::size_t upstream_errors = 0;  ///< failed requests
  std::string identity = {};        ///< ReleaseSource::identity(); set by the builder
};

class ReleaseSource {
 public:
  virtual ~ReleaseSource() = default;
  /// Returns the name that the user gave, without credentials: for people. Names of different sources may
  /// look alike.
  virtual std::string name() const = 0;
  /// Returns a text that distinguishes sources, over restarts too: equal texts mean that the same URL or
  /// folder was given. It has a digest of the parts that the name leaves out, and is not shown.
  virtual std::string identity() const { return name(); }
  /// Fetches all current releases. An Error: no usable result (the last good one stays in force). Not
  /// concurrently.
  virtual Result<FetchedReleases> fetch(const FetchContext& context) = 0;
  /// Returns the channels that the name reveals: a client that may not see them must not see the name in a
  /// problem.
  virtual std::vector<std::string> channels() const { return {}; }
};

struct FetchedGraphData {
  graphdata::Files files;
  std::string revision;  ///< commit, digest or hash of the content: equal texts mean equal files
  /// Problems added by the builder; sources leave it empty.
  std::vector<graph::Problem> problems = {};
};

class GraphDataSource {
 public:
  virtual ~GraphDataSource() = default;
  /// Returns the name; name and identity are as those of a ReleaseSource.
  virtual std::string name() const = 0;
  virtual std::string identity() const { return name(); }
  /// Fetches the graph data. Not concurrently, except with `watch`.
  virtual Result<FetchedGraphData> fetch(const FetchContext& context) = 0;
  /// Watches for changes; returns immediately. True: a thread of the source calls `changed` when the content
  /// may have changed, until `stop` or the destruction of the source. False: not supported, the source must
  /// be polled.
  virtual bool watch(std::function<void()> changed, std::stop_token stop) = 0;
};

/// Makes a source of `FILE.json`, `oci://HOST[:PORT]/REPOSITORY`, or `http(s)://.../graph?channel=C&arch=A`.
/// An Error lists the valid forms.
Result<std::unique_ptr<ReleaseSource>> make_release_source(std::string_view spec, const Options& options);
/// Makes a source of a directory, `git+https://...#ref`, `git+file://...#ref`, an `https://...` tarball, or
/// `oci://HOST/REPOSITORY[:TAG|@DIGEST]`.
Result<std::unique_ptr<GraphDataSource>> make_graph_data_source(std::string_view spec,
                                                                const Options& options);

}  // namespace fairway::sources
