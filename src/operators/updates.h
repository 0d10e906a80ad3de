// SPDX-License-Identifier: Apache-2.0

// The updates that a cluster may take: asks the update service and evaluates the risks, by the rules of both.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "operators/internal/answer_store.h"
#include "operators/internal/verdict_store.h"
#include "operators/retrieval.h"
#include "operators/update_lists.h"
#include "operators/upstream_credentials.h"
#include "risk/evaluator.h"
#include "risk/rounds.h"
#include "upstream/update_service.h"

namespace fairway::operators {

struct UpdateSettings {
  QuerySettings query;
  /// Poll interval. The time between two requests is at least this long, and at most twice as long.
  std::chrono::nanoseconds poll_interval = std::chrono::minutes(2);
  risk::PollingRules polling;
  /// Options of the client: CAs, deadline, size limit and User-Agent. Its clock and Accept are set here.
  upstream::Options upstream;
  /// Source of credentials, called before each request; empty: only those in the service's URL are used.
  Authorization authorization;
  bool accept_risks = false;  ///< see `UpdateInputs`
  /// Folder for the last valid response and the verdicts, for a restart; empty: they are not kept.
  std::filesystem::path data;
  /// Name of the monitoring stack that is asked about risks: verdicts of another one do not count.
  std::string monitoring;
};

/// Retrieves the updates of a cluster and evaluates their risks. Used by one thread at a time.
class Updates {
 public:
  /// Creates it. Registry, evaluator and clock must outlive it.
  Updates(UpdateSettings settings, const risk::Registry& registry, risk::Evaluator& evaluator, Clock& clock,
          Random random);

  /// Takes what is known while the rest is asked for.
  using Interim = std::function<void(const UpdateInputs&)>;

  /// Returns the inputs of the status. The service is asked if that is due, or the query has changed. Risks
  /// are evaluated after a request, when the available updates have changed, and when an evaluation is due.
  /// Both may take a minute: `interim` is called before the service is asked about another channel,
  /// architecture, service or release, so that the lists of before go; and while risks are evaluated for
  /// longer than a second, once a second at most, and not always on this thread. The first evaluation tells
  /// nothing where the status has lists: they are of before a restart. Error: `stop` was requested
  /// (`cancelled`).
  Result<UpdateInputs> run(const openshift::ClusterVersion& cluster, const ListedRelease& current,
                           const std::stop_token& stop, const Interim& interim = {});
  /// Looks for the release in other channels if that is due (available-update-metadata of docs/api.md).
  /// Called after the result of `run` is written, as this may take some time. Returns whether the search was
  /// made; its result is in `inputs`.
  bool search_elsewhere(UpdateInputs& inputs, const std::stop_token& stop);
  /// Returns whether there is something to ask the service: a channel, and a valid version.
  bool has_query() const { return query_.has_value(); }
  /// Returns the time at which `run` has work to do again, although nothing has changed.
  SteadyTime next() const;

  /// Returns the number of requests to update services. `last_success` is the time of the last valid
  /// response.
  std::uint64_t requests() const { return requests_; }
  std::optional<WallTime> last_success() const { return last_success_; }
  const AvailableUpdates* available() const { return available_ ? &*available_ : nullptr; }
  const std::vector<risk::UpdateVerdict>& verdicts() const { return verdicts_; }
  WallTime now() const { return clock_.now(); }
  /// Returns a number that grows whenever available updates or verdicts change.
  std::uint64_t changes() const { return changes_; }

 private:
  void ask(const Query& query, const std::stop_token& stop);
  void answered(const Query& query, upstream::ServiceReply answer);
  std::vector<std::string> channels_elsewhere(const ListedRelease& current) const;
  UpdateInputs inputs_of(const ListedRelease& current) const;
  Result<void> evaluate(const ListedRelease& current, const std::stop_token& stop, const Interim& interim);
  bool is_fresh_enough() const;
  void restore(const Query& query);
  /// Takes the verdicts of before a restart, once.
  void restore_verdicts();
  void drop_offer();
  upstream::UpdateService* service_at(const std::string& url, const std::stop_token& stop, Finding& refused);

  const UpdateSettings settings_;
  const risk::Registry& registry_;
  risk::Rounds rounds_;
  Clock& clock_;
  const Random random_;
  AnswerStore store_;
  VerdictStore verdict_store_;
  /// URL and credentials of the client of the last query.
  std::string service_url_, authorization_;
  std::optional<upstream::UpdateService> service_;

  std::optional<Query> query_;
  Finding retrieved_;
  bool keep_desired_ = true;
  std::optional<ListedRelease> elsewhere_;
  std::vector<std::string> searched_;  ///< channels that have been searched since the last request
  SteadyTime next_poll_ = SteadyTime::min();
  std::optional<AvailableUpdates> available_;
  std::string etag_;
  WallTime available_at_{};
  SteadyTime available_steady_{};
  bool stale_ = false;
  std::vector<risk::UpdateVerdict> verdicts_;
  bool evaluated_ = false;      ///< true if the verdicts are for these updates
  bool has_evaluated_ = false;  ///< true once any updates were
  bool has_restored_ = false;   ///< true once verdicts of before a restart were looked for
  /// Time at which the next risk may be evaluated.
  std::optional<SteadyTime> next_evaluation_;
  std::uint64_t requests_ = 0;
  std::optional<WallTime> last_success_;
  std::uint64_t changes_ = 0;
};

}  // namespace fairway::operators
