// SPDX-License-Identifier: Apache-2.0

// Builds snapshots: fetches all sources, keeps the last good result of each, and merges them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/limits.h"
#include "sources/source.h"
#include "updateservice/guards.h"

namespace fairway::updateservice {

/// The images that versions were served with: pull specs by "VERSION+ARCH".
using Payloads = std::map<std::string, std::string>;

/// The newest graph data while a widening is held: that of the source, without the blocks that are kept.
struct HeldData {
  std::shared_ptr<const graphdata::Files> files;  ///< never null
  std::string revision;
  std::size_t blocks = 0;  ///< number of blocks that the refresh would lift
};

/// The inputs of a build; enough to rebuild the same snapshot after a restart.
struct BuiltInputs {
  std::vector<sources::FetchedReleases> releases;  ///< one per source, in the order of the flags
  /// Files of the graph data, never null. Shared with all users; up to 64 MiB.
  std::shared_ptr<const graphdata::Files> files = std::make_shared<const graphdata::Files>();
  std::string revision;
  std::string graph_data_source;  ///< GraphDataSource::name()
  Payloads payloads = {};         ///< images of this build and all before it
  WideningMemory guard = {};
  /// Inputs of the last build that was taken whole, while a widening is held. Its restrictions of updates are
  /// in force as well.
  std::shared_ptr<const BuiltInputs> baseline = {};
  /// Data that is held. Null if nothing is held, or if the inputs restored from disk do not have it.
  std::shared_ptr<const HeldData> held = {};
  std::string graph_data_identity = {};  ///< GraphDataSource::identity()
  /// True if it was taken with nothing to compare it with, and nobody has accepted it.
  bool uncompared = false;
  /// True for the inputs of other replicas: they close updates, and are never served.
  bool of_peers = false;
};

/// The builds that the other replicas of a service hold, for a replica that has no memory of its own.
struct PeerMemory {
  std::shared_ptr<const BuiltInputs> inputs;        ///< null: no replica has given a graph
  std::shared_ptr<const graph::Snapshot> snapshot;  ///< snapshot of `inputs`
  bool may_begin = false;  ///< true if the sources' data may be served although no replica has a graph
  std::string why;         ///< reply of each replica, for operators
};

struct BuildOutcome {
  std::shared_ptr<const graph::Snapshot> snapshot;
  std::shared_ptr<const BuiltInputs> inputs;
  /// False if a source failed or was refused, and its last good result was used.
  bool fresh = true;
  /// Widening of the newest inputs, if it was too large: they are not used, and a problem says so.
  std::optional<graph::Widening> held;
  /// True if every source has answered the last request. One that has not is named only when it is overdue.
  bool complete = true;
  /// Failed requests in this refresh, failed sources included.
  std::size_t upstream_errors = 0;
  /// Increases with each outcome of one builder: the outcome with the higher number is newer.
  std::uint64_t number = 0;
};

/// Loads the files of graph data: graphdata::load, or a stand-in for it.
using LoadGraphData = std::function<Result<graph::GraphData>(const graphdata::Files& files,
                                                             const graphdata::LoadOptions& options)>;

/// Time that a refresh waits for its sources.
struct Waits {
  std::chrono::nanoseconds source_timeout = std::chrono::nanoseconds::max();
  std::chrono::nanoseconds overdue = std::chrono::nanoseconds::max();
};

/// Builds snapshots from sources. Graph data is loaded once per revision, and shared by all snapshots that
/// are built from it.
///
/// Safe from several threads: `refresh_graph_data` does not wait for slow releases of a concurrent `refresh`.
class Builder {
 public:
  /// Makes a builder. The clock measures the time of builds, and must outlive the builder.
  Builder(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
          std::unique_ptr<sources::GraphDataSource> graph_data, const std::string& problem_url, Clock& clock,
          LoadGraphData load = graphdata::load, Guards guards = {});
  ~Builder();

  /// Fetches every source (several concurrently) and builds. If a source fails, or graph data is refused, its
  /// last good result stays in force, and the snapshot has a problem. Errors: some source has no good result
  /// yet (all such sources are named, with the reasons), or `context.stop` was requested (`cancelled`). If
  /// nothing changed since the last outcome, snapshot and inputs are the same objects. A refresh that lifts
  /// more blocks at once than the guard allows is held (BuildOutcome::held): updates that it would open stay
  /// closed, and those that it closes are closed (graph::restrict_as). Graph data whose graphs would be too
  /// large to serve, or take too long to build, is refused.
  ///
  /// Each source is asked in a thread of its own. A source that has not answered yet is not asked again.
  /// After `waits.source_timeout` the refresh stops waiting for it and builds with its last good result; once
  /// it was asked `waits.overdue` ago, a problem names it. When it answers, `on_late` is called, and
  /// `rebuild` then uses its answer.
  Result<BuildOutcome> refresh(const sources::FetchContext& context, const Waits& waits = {});
  /// Builds from what the sources have answered so far, without asking any.
  Result<BuildOutcome> rebuild();
  /// Sets the function that is called from a source's thread when it answers after a refresh has stopped
  /// waiting for it. To be set before the first refresh.
  void on_late(std::function<void()> answered);
  /// Fetches only graph data; the releases are those of the last refresh.
  Result<BuildOutcome> refresh_graph_data(const sources::FetchContext& context);
  /// Uses inputs from disk as the last good result of each source of the same identity. Inputs of other
  /// sources are ignored, and so is graph data that is refused now. `built`: the snapshot that was made of
  /// them (with the same problem URL), if there is one; null: the files are loaded here. The guards compare
  /// the next build with it, whatever sources it is from. Data that is not loaded yet when a stop is
  /// requested is left out.
  void restore(const std::shared_ptr<const BuiltInputs>& inputs,
               const std::shared_ptr<const graph::Snapshot>& built = nullptr,
               const std::stop_token& stop = {});

  /// Returns whether there is no build, neither of these sources nor an earlier one, that the guards could
  /// compare the next one with.
  bool lacks_memory() const;
  /// Makes the guards compare the next build with the builds of other replicas, while there is no memory of
  /// its own (Guards::has_peers).
  void learn(PeerMemory memory);

  /// Asks all sources that are being asked to stop, whichever refresh asked them, and ends all reading and
  /// building, now and later (`cancelled`).
  void stop();

  sources::GraphDataSource& graph_data_source();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Builds the snapshot of inputs: loads the files, runs graph::build. Errors: the graph data is refused, or
/// `limits` (by `clock`) have ended it (`cancelled`, `deadline_exceeded`).
Result<std::shared_ptr<const graph::Snapshot>> build_snapshot(const BuiltInputs& inputs,
                                                              const std::string& graph_data_name,
                                                              const std::string& problem_url,
                                                              const Limits& limits = {},
                                                              const Clock& clock = Clock::system());

}  // namespace fairway::updateservice
