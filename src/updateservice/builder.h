// From sources to a snapshot: asks all of them, keeps the last good answer of each, and puts them together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sources/source.h"

namespace fairway::updateservice {

/// What a build is made of; enough to make the same snapshot again after a restart.
struct BuiltInputs {
  std::vector<sources::FetchedReleases> releases;  ///< one a source, in the order of the flags
  graphdata::Files files;
  std::string revision;
  std::string graph_data_source;  ///< GraphDataSource::name()
};

struct BuildOutcome {
  std::shared_ptr<const graph::Snapshot> snapshot;
  std::shared_ptr<const BuiltInputs> inputs;
  /// False where a source failed or refused and its last good answer was used.
  bool fresh = true;
  /// Requests that failed in this refresh, whole sources included.
  std::size_t upstream_errors = 0;
  /// Grows with each outcome of one builder: of two outcomes the one with the higher number knows more.
  std::uint64_t number = 0;
};

/// Safe from several threads: `refresh_graph_data` does not wait for the slow releases of a `refresh` beside
/// it.
class Builder {
 public:
  Builder(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
          std::unique_ptr<sources::GraphDataSource> graph_data, std::string problem_url);
  ~Builder();

  /// Asks every source (several at a time) and builds. A source that fails, or graph data that is refused,
  /// leaves its last good answer in force and a problem in the snapshot. An Error: there is no last good
  /// answer of some source yet (it names every source that is missing, and why), or `context.stop` was asked
  /// for (`cancelled`). Where nothing changed since the last outcome, it has the same snapshot and the same
  /// inputs again.
  Result<BuildOutcome> refresh(const sources::FetchContext& context);
  /// Only looks at graph data again; the releases stay as they were at the last refresh.
  Result<BuildOutcome> refresh_graph_data(const sources::FetchContext& context);
  /// Makes inputs that were kept on disk the last good answer of each source that had the same name then;
  /// what has no source any more is left out.
  void restore(const std::shared_ptr<const BuiltInputs>& inputs);

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
