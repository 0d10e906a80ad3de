// The sources of a builder: asked in threads of their own, and what each of them said last.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/timed_condition.h"
#include "sources/source.h"
#include "updateservice/builder.h"
#include "updateservice/internal/builds/graph_data_in_force.h"

namespace fairway::updateservice {

/// What a build is made of: the same again gives the same snapshot.
struct Ingredients {
  std::vector<std::shared_ptr<const sources::FetchedReleases>> releases;  ///< one per source
  std::shared_ptr<const UnderstoodGraphData> graph_data;
  std::vector<graph::Problem> problems;

  bool operator==(const Ingredients& other) const;
};

/// Safe from all threads.
class SourceAnswers {
 public:
  /// The clock outlives this.
  SourceAnswers(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
                std::unique_ptr<sources::GraphDataSource> graph_data, LoadGraphData load,
                const std::string& problem_url, Clock& clock);
  /// Asks all sources to stop, and waits for their threads.
  ~SourceAnswers();
  SourceAnswers(const SourceAnswers&) = delete;
  SourceAnswers& operator=(const SourceAnswers&) = delete;

  GraphDataInForce& graph_data() { return graph_data_; }
  /// How many sources there are, that of graph data included.
  std::size_t count() const { return releases_.size() + 1; }

  /// See Builder::on_late.
  void on_late(std::function<void()> answered);
  /// Asks all that are not being asked, and waits for these; see Builder::refresh. False: it was stopped.
  bool ask_all(const sources::FetchContext& context, const Waits& waits);
  /// Takes releases that were kept on disk where a source has not answered yet; see Builder::restore.
  void restore(const std::vector<sources::FetchedReleases>& kept);
  /// Asks all sources that are being asked to stop, whichever refresh asked them.
  void stop();

  /// What is in force now, and which problems say that it is not all new. An Error names each source that has
  /// given nothing yet.
  Result<Ingredients> gather() const;
  /// Failed requests of the last answers, failed sources included.
  std::size_t failures() const;
  /// Returns whether every source has answered what it was asked last.
  bool are_complete() const;

 private:
  /// A source that is being asked, in a thread of its own.
  struct Asking {
    std::optional<SteadyTime> since;  ///< nothing while it is not asked
    WallTime time{};                  ///< the same for people
    bool overdue = false;
    bool late = false;  ///< the refresh that asked does not wait for it any more
    std::stop_source stop;
    std::jthread thread;
  };
  /// A source of releases and what it said.
  struct ReleaseSlot {
    std::unique_ptr<sources::ReleaseSource> source;
    // Under `mutex_`:
    std::shared_ptr<const sources::FetchedReleases> good;
    std::optional<Error> error;  ///< of the last fetch
    Asking asking;
  };

  template <class Visit>
  void each_asking(Visit visit);
  template <class Ask, class Failed>
  void begin(Asking& asking, const sources::FetchContext& context, Ask ask, Failed failed);
  template <class Ask, class Failed>
  void run(Asking& asking, const sources::FetchContext& context, Ask ask, Failed failed);
  void ask(ReleaseSlot& slot, const sources::FetchContext& context);
  ErrorCode failure_code(const GraphDataInForce::State& state) const;
  graph::Problem graph_data_fault(const GraphDataInForce::State& state) const;

  std::vector<std::unique_ptr<ReleaseSlot>> releases_;
  GraphDataInForce graph_data_;
  Clock& clock_;
  mutable std::mutex mutex_;
  TimedCondition answered_;
  // Under `mutex_`:
  Asking asking_graph_data_;
  std::function<void()> late_answer_;
};

}  // namespace fairway::updateservice
