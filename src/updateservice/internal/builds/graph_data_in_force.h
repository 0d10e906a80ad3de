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

/// Files and what they say.
struct UnderstoodGraphData {
  std::shared_ptr<const graphdata::Files> files;  ///< never null
  std::string revision;
  /// Of taking them up; those of the data itself are in `data`.
  std::vector<graph::Problem> problems = {};
  std::shared_ptr<const graph::GraphData> data;
};

/// Safe from all threads.
class GraphDataInForce {
 public:
  /// `needs_channels`: see graphdata::LoadOptions. The clock outlives this.
  GraphDataInForce(std::unique_ptr<sources::GraphDataSource> source, LoadGraphData load,
                   std::string problem_url, bool needs_channels, const Clock& clock);

  sources::GraphDataSource& source() { return *source_; }
  std::string name() const { return source_->name(); }
  std::string identity() const { return source_->identity(); }

  /// Asks the source. A new revision is loaded, and takes the place of the last one unless it is refused; one
  /// that is known already (in force, or refused before) is not loaded again.
  void ask(const sources::FetchContext& context);
  /// Asking ended in a way that none should.
  void failed(Error error);
  /// Takes what was kept on disk where nothing is in force yet; see Builder::restore.
  void restore(const std::shared_ptr<const graphdata::Files>& files, const std::string& revision,
               std::shared_ptr<const graph::GraphData> understood, const std::stop_token& stop);

  /// A source of another name was in force with these files: where they have blocked edges, a repository
  /// without any is refused as if it were the same one.
  void know_files_of_another(const graphdata::Files& files);

  /// The newest graph data with the blocks of `before` that it has no more or has changed, and its raw
  /// metadata: while a widening is held. An Error: together they are too much, or `limits` have ended it.
  Result<std::shared_ptr<const UnderstoodGraphData>> with_blocks_of(const graphdata::Files& before,
                                                                    const UnderstoodGraphData& newest,
                                                                    const Limits& limits) const;

  struct State {
    std::shared_ptr<const UnderstoodGraphData> good;  ///< null: there was none yet
    std::optional<Error> error;                       ///< of the last fetch
    std::optional<Error> refused;                     ///< why what was fetched last cannot be used
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
  std::string taken_revision_;    ///< what the source calls what `good` was made of
  std::string refused_revision_;  ///< and what was refused
};

}  // namespace fairway::updateservice
