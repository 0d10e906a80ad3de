// SPDX-License-Identifier: Apache-2.0

// Brings what the builder makes to those who ask: renders it under the present rules and descriptions
// (render.h), swaps it into the ServingState, and keeps it in the LastGoodStore from a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "updateservice/builder.h"
#include "updateservice/channel_descriptions.h"
#include "updateservice/internal/service_metrics.h"
#include "updateservice/internal/serving_state.h"
#include "updateservice/internal/store/last_good_store.h"
#include "updateservice/service.h"

namespace fairway::updateservice {

/// Makes responses of builds, serves them, and stores them on disk. Safe from all threads.
class Publisher {
 public:
  Publisher(const ServiceOptions& options, ServingState& serving, ServiceMetrics& metrics, Clock& clock);
  /// Writes pending data to disk.
  ~Publisher();

  /// Reads rules and descriptions. On an error the old ones stay in force.
  Result<void> load_settings(const ReloadableOptions& settings);

  /// Serves the last good bodies, if they were made with these settings.
  void restore_responses();
  /// Returns the inputs from disk, whatever the settings; null without any.
  std::shared_ptr<const BuiltInputs> stored_inputs() {
    const std::lock_guard lock(mutex_);
    return stored_.inputs;
  }
  /// Builds from the stored inputs, if the same sources made them: computed answers need a snapshot, and
  /// other rules need other bodies.
  void rebuild_stored(const std::stop_token& stop = {});

  /// Serves an outcome, unless a newer one of the same builder is served already. `all_sources`: releases
  /// were asked for too. Returns true if any client is served something new.
  bool publish(const BuildOutcome& outcome, std::uint64_t builder, bool all_sources);
  /// Makes all responses again from the present snapshot, because the settings have changed.
  void publish_with_new_settings();
  /// Reports in /problems that new settings cannot be used, or (with a good result) no longer does. `what`
  /// names them: "the certificate". Takes effect with the next responses.
  void reloaded(const std::string& what, const Result<void>& result);
  /// Records that a refresh failed as a whole, so that the served data is stale.
  void failed(const Error& error);

 private:
  std::vector<graph::Problem> problems() const;
  bool publish_locked(std::shared_ptr<const graph::Snapshot> snapshot,
                      std::shared_ptr<const BuiltInputs> inputs);
  bool rules_fit(const graph::Snapshot& snapshot);
  void log_problems(const graph::Snapshot& snapshot);
  std::string responses_key() const;
  /// Returns the key of inputs, which all versions of the program since `inputs_since` share: each builds its
  /// own graph of them.
  std::string inputs_key() const;
  void keep(const Served& built, bool inputs_changed);
  void tell_kept(const std::optional<Error>& fault);
  void write_pending_loop(const std::stop_token& stop);

  const ServiceOptions& options_;
  ServingState& serving_;
  ServiceMetrics& metrics_;
  Clock& clock_;

  std::mutex mutex_;
  std::shared_ptr<const PrivateChannels> rules_ = PrivateChannels::none();
  ChannelDescriptions descriptions_;
  ReloadableOptions settings_;  ///< settings that the rules were read with
  std::uint64_t settings_number_ = 0, rendered_settings_ = 0;
  std::map<std::string, graph::Problem> reload_faults_;
  std::uint64_t builder_ = 0, outcome_ = 0, builder_that_asked_all_ = 0;
  WallTime last_good_{};
  std::set<std::string> known_problems_;
  std::vector<std::string> unused_rules_;  ///< patterns that matched nothing in the last snapshot
  LastGoodStore::StoredInputs stored_;
  std::optional<Error> keep_fault_;  ///< reason why the last good graph is not on disk

  /// Pending data of the writer thread: only the newest counts.
  struct Pending {
    std::shared_ptr<const Responses> responses;
    std::shared_ptr<const BuiltInputs> inputs;
    std::string responses_key, inputs_key;
    std::optional<WallTime> last_good;
  };
  std::optional<LastGoodStore> store_;
  std::mutex pending_mutex_;
  std::condition_variable_any pending_changed_;
  Pending pending_;
  std::jthread writer_thread_;
};

}  // namespace fairway::updateservice
