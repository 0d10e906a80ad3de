// SPDX-License-Identifier: Apache-2.0

// The graph data that builds go by: the newest of its source that can be used, understood once a revision.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph_data.h"
#include "sources/source.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

/// Files and the graph data that was loaded from them.
struct UnderstoodGraphData {
  std::shared_ptr<const graphdata::Files> files;  ///< never null
  std::string revision;
  /// Problems of taking the files into use; those of the data itself are in `data`.
  std::vector<graph::Problem> problems = {};
  std::shared_ptr<const graph::GraphData> data;
};

/// The last good graph data of a source. Safe from all threads.
class GraphDataInForce {
 public:
  /// Makes it without data. `needs_channels`: see graphdata::LoadOptions. The clock must outlive this.
  GraphDataInForce(std::unique_ptr<sources::GraphDataSource> source, LoadGraphData load,
                   std::string problem_url, bool needs_channels, const Clock& clock);

  sources::GraphDataSource& source() { return *source_; }
  std::string name() const { return source_->name(); }
  std::string identity() const { return source_->identity(); }

  /// Asks the source. A new revision is loaded, and replaces the last one unless it is refused; one that is
  /// known already (in force, or refused before) is not loaded again.
  void ask(const sources::FetchContext& context);
  /// Records that asking the source failed unexpectedly.
  void failed(Error error);
  /// Restores data from disk if nothing is in force yet; see Builder::restore.
  void restore(const std::shared_ptr<const graphdata::Files>& files, const std::string& revision,
               std::shared_ptr<const graph::GraphData> understood, const std::stop_token& stop);

  /// Records that a source of another name was in force with these files. If they have blocked edges, a
  /// repository without any is refused as if it were the same one.
  void know_files_of_another(const graphdata::Files& files);

  /// Returns the newest graph data with the blocks of `before` that it has removed or changed, and the raw
  /// metadata of `before`, for a widening that is held. Errors: together they exceed the limits, or `limits`
  /// have ended it.
  Result<std::shared_ptr<const UnderstoodGraphData>> with_blocks_of(const graphdata::Files& before,
                                                                    const UnderstoodGraphData& newest,
                                                                    const Limits& limits) const;

  struct State {
    std::shared_ptr<const UnderstoodGraphData> good;  ///< data in force; null: there was none yet
    std::optional<Error> error;                       ///< error of the last fetch
    std::optional<Error> refused;                     ///< reason why the data fetched last cannot be used
  };
  State state() const;

 private:
  Result<std::shared_ptr<const UnderstoodGraphData>> understand(sources::FetchedGraphData fetched,
                                                                const UnderstoodGraphData* known,
                                                                bool had_blocks, const Limits& limits) const;
  Result<std::shared_ptr<const graph::GraphData>> load(const graphdata::Files& files,
                                                       const Limits& limits) const;

  const std::unique_ptr<sources::GraphDataSource> source_;
  const LoadGraphData load_;
  const std::string problem_url_;
  const bool needs_channels_;
  const Clock& clock_;

  /// Held while the source is asked and its answer is loaded, so that an older answer never takes the place
  /// of a newer one.
  std::mutex asking_;
  mutable std::mutex mutex_;
  // Under `mutex_`:
  bool had_blocks_ = false;
  State state_;
  std::string taken_revision_;    ///< revision that `good` was made of
  std::string refused_revision_;  ///< revision that was refused
};

}  // namespace fairway::updateservice
