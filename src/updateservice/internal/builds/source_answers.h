// SPDX-License-Identifier: Apache-2.0

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

/// Inputs of a build: equal ingredients give the same snapshot.
struct Ingredients {
  std::vector<std::shared_ptr<const sources::FetchedReleases>> releases;  ///< one per source
  std::shared_ptr<const UnderstoodGraphData> graph_data;
  std::vector<graph::Problem> problems;

  bool operator==(const Ingredients& other) const;
};

/// The sources and their last answers. Safe from all threads.
class SourceAnswers {
 public:
  /// Makes it without answers. The clock must outlive this.
  SourceAnswers(std::vector<std::unique_ptr<sources::ReleaseSource>> releases,
                std::unique_ptr<sources::GraphDataSource> graph_data, LoadGraphData load,
                const std::string& problem_url, Clock& clock);
  /// Asks all sources to stop, and waits for their threads.
  ~SourceAnswers();
  SourceAnswers(const SourceAnswers&) = delete;
  SourceAnswers& operator=(const SourceAnswers&) = delete;

  GraphDataInForce& graph_data() { return graph_data_; }
  /// Returns the number of sources, that of graph data included.
  std::size_t count() const { return releases_.size() + 1; }

  /// See Builder::on_late.
  void on_late(std::function<void()> answered);
  /// Asks all sources that are not being asked, and waits for these; see Builder::refresh. False: it was
  /// stopped.
  bool ask_all(const sources::FetchContext& context, const Waits& waits);
  /// Restores releases from disk for sources that have not answered yet; see Builder::restore.
  void restore(const std::vector<sources::FetchedReleases>& kept);
  /// Asks all sources that are being asked to stop, whichever refresh asked them.
  void stop();

  /// Returns the data in force, and the problems that say which of it is not new. An Error names each source
  /// that has given nothing yet.
  Result<Ingredients> gather() const;
  /// Returns the number of failed requests of the last answers, failed sources included.
  std::size_t failures() const;
  /// Returns whether every source has answered the last request.
  bool are_complete() const;

 private:
  /// The state of a source that is asked in a thread of its own.
  struct Asking {
    std::optional<SteadyTime> since;  ///< start of the request; nothing while it is not asked
    WallTime time{};                  ///< start of the request as wall time, for people
    bool overdue = false;
    bool late = false;  ///< true after the refresh that asked has stopped waiting
    std::stop_source stop;
    std::jthread thread;
  };
  /// A source of releases and its last answer.
  struct ReleaseSlot {
    std::unique_ptr<sources::ReleaseSource> source;
    // Under `mutex_`:
    std::shared_ptr<const sources::FetchedReleases> good;
    std::optional<Error> error;  ///< error of the last fetch
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
