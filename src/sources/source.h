// Where releases and graph data come from. A source is asked again and again; it remembers what makes asking
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

namespace fairway::sources {

/// What all sources may need; the flags of `fairway serve` and `fairway graph` fill it.
struct Options {
  std::string data_directory;          ///< caches live below it; empty: nothing is kept on disk
  std::vector<std::string> ca_files;   ///< --ca-file: trusted beside the system's CAs
  std::string auth_file;               ///< --auth-file: Docker/containers auth file; empty: none
  bool registry_plain_http = false;    ///< --registry-plain-http
  std::string public_keys_directory;   ///< --public-keys: OpenPGP keys; empty: signatures are not required
  std::string signature_store;         ///< --signature-store: URL of <store>/sha256=<hex>/signature-N
  int concurrency = 8;                 ///< --scrape-concurrency: requests under way at once to one registry
  std::chrono::seconds deadline{600};  ///< --scrape-deadline: for one fetch of one source
};

/// How a long fetch is doing; called from any thread, often. `total` 0: not known yet.
using Progress = std::function<void(std::string_view what, std::size_t done, std::size_t total)>;

struct FetchContext {
  std::stop_token stop;
  Progress progress;  ///< may be empty
};

struct FetchedReleases {
  std::string source;  ///< ReleaseSource::name(); the builder fills it in, and `restore` goes by it
  std::string
      revision;  ///< equal texts, not empty, of one source mean equal contents; empty: the source cannot tell
  std::vector<graph::Release> releases;
  std::vector<graph::UpstreamGraph> upstreams;
  std::vector<graph::Problem> problems;
  std::size_t upstream_errors = 0;  ///< requests that failed on the way
};

class ReleaseSource {
 public:
  virtual ~ReleaseSource() = default;
  /// As the user named it, without credentials.
  virtual std::string name() const = 0;
  /// All releases as they are now. An Error: nothing usable came (the last good result stays in force).
  /// One call at a time.
  virtual Result<FetchedReleases> fetch(const FetchContext& context) = 0;
  /// Channels that the name gives away: who may not see them may not read the name in a problem.
  virtual std::vector<std::string> channels() const { return {}; }
};

struct FetchedGraphData {
  graphdata::Files files;
  std::string revision;  ///< commit, digest or hash of the content: equal texts mean equal files
  /// What the builder did not take as it came. Sources leave it empty.
  std::vector<graph::Problem> problems = {};
};

class GraphDataSource {
 public:
  virtual ~GraphDataSource() = default;
  virtual std::string name() const = 0;
  /// One call at a time, but beside `watch`.
  virtual Result<FetchedGraphData> fetch(const FetchContext& context) = 0;
  /// Returns at once. True: a thread of the source's calls `changed` when the content may have changed, until
  /// `stop` or the end of the source. False: this source cannot tell and has to be asked every interval.
  virtual bool watch(std::function<void()> changed, std::stop_token stop) = 0;
};

/// `FILE.json`, `oci://HOST[:PORT]/REPOSITORY`, or `http(s)://.../graph?channel=C&arch=A`. An Error says
/// which forms there are.
Result<std::unique_ptr<ReleaseSource>> make_release_source(std::string_view spec, const Options& options);
/// A directory, `git+https://...#ref`, `git+file://...#ref`, an `https://...` tarball, or
/// `oci://HOST/REPOSITORY[:TAG|@DIGEST]`.
Result<std::unique_ptr<GraphDataSource>> make_graph_data_source(std::string_view spec,
                                                                const Options& options);

}  // namespace fairway::sources
