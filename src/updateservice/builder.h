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

/// The newest graph data while a widening is held: what the source says, without the blocks that are kept.
struct HeldData {
  std::shared_ptr<const graphdata::Files> files;  ///< never null
  std::string revision;
  std::size_t blocks = 0;  ///< that the refresh would lift
};

/// The inputs of a build; enough to rebuild the same snapshot after a restart.
struct BuiltInputs {
  std::vector<sources::FetchedReleases> releases;  ///< one per source, in the order of the flags
  /// Never null. Shared with all users; up to 64 MiB.
  std::shared_ptr<const graphdata::Files> files = std::make_shared<const graphdata::Files>();
  std::string revision;
  std::string graph_data_source;  ///< GraphDataSource::name()
  Payloads payloads = {};         ///< of this build and all before it
  WideningMemory guard = {};
  /// While a widening is held: the inputs of the last build that was taken whole. What that one has against
  /// updates is in force as well.
  std::shared_ptr<const BuiltInputs> baseline = {};
  /// Null where nothing is held, or where what came back from disk does not have it.
  std::shared_ptr<const HeldData> held = {};
  std::string graph_data_identity = {};  ///< GraphDataSource::identity()
  /// Taken with nothing to compare it with, and nobody has accepted it.
  bool uncompared = false;
  /// What other replicas hold: it closes updates, and nothing of it is served.
  bool of_peers = false;
};

/// What the other replicas of a service hold, for one that has no memory of its own.
struct PeerMemory {
  std::shared_ptr<const BuiltInputs> inputs;        ///< null: no replica has given a graph
  std::shared_ptr<const graph::Snapshot> snapshot;  ///< what `inputs` make
  bool may_begin = false;  ///< whether to serve what the sources say although there is none
  std::string why;         ///< what each replica said, for operators
};

struct BuildOutcome {
  std::shared_ptr<const graph::Snapshot> snapshot;
  std::shared_ptr<const BuiltInputs> inputs;
  /// False if a source failed or was refused and its last good result was used.
  bool fresh = true;
  /// What the newest inputs would lift, where that was too much: they are not used, and a problem says so.
  std::optional<graph::Widening> held;
  /// True if every source has answered what it was asked last. One that has not is named only when it is
  /// overdue.
  bool complete = true;
  /// Failed requests in this refresh, failed sources included.
  std::size_t upstream_errors = 0;
  /// Increases with each outcome of one builder: the outcome with the higher number is newer.
  std::uint64_t number = 0;
};

/// Loads the files of graph data: graphdata::load, or a stand-in for it.
using LoadGraphData = std::function<Result<graph::GraphData>(const graphdata::Files& files,
                                                             const graphdata::LoadOptions& options)>;

/// How long a refresh waits for its sources.
struct Waits {
  std::chrono::nanoseconds patience = std::chrono::nanoseconds::max();
  std::chrono::nanoseconds overdue = std::chrono::nanoseconds::max();
};

/// Graph data is loaded once per revision, and shared by all snapshots that are built from it.
///
/// Safe from several threads: `refresh_graph_data` does not wait for slow releases of a concurrent
/// `refresh`.
class Builder {
 public:
  /// The clock says how long builds take, and outlives the builder.
  Builder(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
          std::unique_ptr<sources::GraphDataSource> graph_data, const std::string& problem_url, Clock& clock,
          LoadGraphData load = graphdata::load, Guards guards = {});
  ~Builder();

  /// Fetches every source (several concurrently) and builds. If a source fails, or graph data is
  /// refused, its last good result stays in force, and the snapshot has a problem. An Error: some
  /// source has no good result yet (it names all such sources, and why), or `context.stop` was
  /// requested (`cancelled`). If nothing changed since the last outcome, snapshot and inputs are the
  /// same objects. What lifts more blocks at once than the guard allows is held (BuildOutcome::held): what it
  /// would open stays closed, and what it closes is closed (graph::restrict_as). Graph data whose graphs
  /// would be larger than can be served, or take longer to build than they may, is refused.
  ///
  /// Each source is asked in a thread of its own. One that has not answered yet is not asked again, and after
  /// `waits.patience` it is not waited for: what is built has its last good result, and once it was asked
  /// `waits.overdue` ago, a problem names it. `on_late` is told when it answers; `rebuild` then has its
  /// answer.
  Result<BuildOutcome> refresh(const sources::FetchContext& context, const Waits& waits = {});
  /// Builds from what the sources have answered so far, without asking any.
  Result<BuildOutcome> rebuild();
  /// Called from a source's thread when it answers after a refresh has stopped waiting for it. Set before the
  /// first refresh.
  void on_late(std::function<void()> answered);
  /// Fetches only graph data; the releases are those of the last refresh.
  Result<BuildOutcome> refresh_graph_data(const sources::FetchContext& context);
  /// Uses inputs from disk as the last good result of each source of the same identity; inputs of other
  /// sources are ignored, and graph data that is refused now. `built`: the snapshot that was made of them
  /// (with the same problem URL), where there is one; null: the files are loaded here. The guards compare
  /// what comes next with it, whatever sources it is from. A stop leaves out what had to be loaded.
  void restore(const std::shared_ptr<const BuiltInputs>& inputs,
               const std::shared_ptr<const graph::Snapshot>& built = nullptr,
               const std::stop_token& stop = {});

  /// Returns whether there is no build of these sources, nor one of before, that the guards compare the next
  /// one with.
  bool lacks_memory() const;
  /// Compares what comes next with what other replicas hold, while there is no memory of its own
  /// (Guards::has_peers).
  void learn(PeerMemory memory);

  /// Asks all sources that are being asked to stop, whichever refresh asked them, and ends what is being
  /// read or built and will be (`cancelled`).
  void stop();

  sources::GraphDataSource& graph_data_source();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The snapshot of inputs: loads the files, runs graph::build. An Error: the graph data is refused, or
/// `limits` (by `clock`) have ended it (`cancelled`, `deadline_exceeded`).
Result<std::shared_ptr<const graph::Snapshot>> build_snapshot(const BuiltInputs& inputs,
                                                              const std::string& graph_data_name,
                                                              const std::string& problem_url,
                                                              const Limits& limits = {},
                                                              const Clock& clock = Clock::system());

}  // namespace fairway::updateservice
