// Builds snapshots: fetches all sources, keeps the last good result of each, and merges them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sources/source.h"

namespace fairway::updateservice {

/// The inputs of a build; enough to rebuild the same snapshot after a restart.
struct BuiltInputs {
  std::vector<sources::FetchedReleases> releases;  ///< one per source, in the order of the flags
  graphdata::Files files;
  std::string revision;
  std::string graph_data_source;  ///< GraphDataSource::name()
};

struct BuildOutcome {
  std::shared_ptr<const graph::Snapshot> snapshot;
  std::shared_ptr<const BuiltInputs> inputs;
  /// False if a source failed or was refused and its last good result was used.
  bool fresh = true;
  /// Failed requests in this refresh, failed sources included.
  std::size_t upstream_errors = 0;
  /// Increases with each outcome of one builder: the outcome with the higher number is newer.
  std::uint64_t number = 0;
};

/// Loads the files of graph data: graphdata::load, or a stand-in for it.
using LoadGraphData = std::function<Result<graph::GraphData>(const graphdata::Files& files,
                                                             const graphdata::LoadOptions& options)>;

/// Graph data is loaded once per revision, and shared by all snapshots that are built from it.
///
/// Safe from several threads: `refresh_graph_data` does not wait for slow releases of a concurrent
/// `refresh`.
class Builder {
 public:
  /// The clock says how long builds take, and outlives the builder.
  Builder(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
          std::unique_ptr<sources::GraphDataSource> graph_data, std::string problem_url, const Clock& clock,
          LoadGraphData load = graphdata::load);
  ~Builder();

  /// Fetches every source (several concurrently) and builds. If a source fails, or graph data is
  /// refused, its last good result stays in force, and the snapshot has a problem. An Error: some
  /// source has no good result yet (it names all such sources, and why), or `context.stop` was
  /// requested (`cancelled`). If nothing changed since the last outcome, snapshot and inputs are the
  /// same objects.
  Result<BuildOutcome> refresh(const sources::FetchContext& context);
  /// Fetches only graph data; the releases are those of the last refresh.
  Result<BuildOutcome> refresh_graph_data(const sources::FetchContext& context);
  /// Uses inputs from disk as the last good result of each source of the same name; inputs of other sources
  /// are ignored, and graph data that is refused now. `understood`: what the inputs' files say, where that is
  /// known (Snapshot::graph_data, with the same problem URL); null: the files are loaded here.
  void restore(const std::shared_ptr<const BuiltInputs>& inputs,
               std::shared_ptr<const graph::GraphData> understood = nullptr);

  sources::GraphDataSource& graph_data_source();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The snapshot of inputs: loads the files, runs graph::build. An Error: the graph data is refused.
Result<std::shared_ptr<const graph::Snapshot>> build_snapshot(const BuiltInputs& inputs,
                                                              const std::string& graph_data_name,
                                                              const std::string& problem_url);

}  // namespace fairway::updateservice
