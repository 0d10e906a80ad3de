// SPDX-License-Identifier: Apache-2.0

// A storage with faults, for tests of what must bear them: controllers, informers, operators.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// Chances, each from 0 to 1. The n-th decision of a kind is the same for a seed, whatever the others are.
struct FaultOptions {
  std::uint64_t seed = 1;
  /// Chance that a poll with events ends the watch (`closed`) after some of them.
  double cut_watch = 0;
  /// Chance that a poll with events returns none yet; they come with a later one.
  double late_events = 0;
  /// Chance that a watch or an exact read of a past revision fails as compacted. Clients list again.
  double expired = 0;
  /// Chance that a write that requires a revision loses to another writer. The object is written unchanged,
  /// with an event, and then the write finds its conflict.
  double conflict = 0;
  /// Chance that a write fails, and nothing is written.
  double failed_write = 0;
  /// Chance that a write fails although it is written: the reply is lost.
  double lost_answer = 0;
};

/// Passes everything on to `inner`, which it owns, except for the faults. Safe from all threads.
class FaultyStorage final : public Storage {
 public:
  FaultyStorage(std::unique_ptr<Storage> inner, FaultOptions options);
  ~FaultyStorage() override;

  /// Sets other chances from now on; the decisions go on where they were.
  void set_faults(const FaultOptions& options);
  /// Ends all watches that there are now.
  void cut_watches();
  /// Holds back the events of watches until it is called with false.
  void hold_events(bool hold);
  /// Makes reads, watches and writes fail until it is called with false; open watches end.
  void set_dead(bool dead);
  /// Number of faults so far.
  std::uint64_t faults() const;

  Revision revision() const override;
  Revision compacted_revision() const override;
  ReadResult<RecordPtr> get(const Key& key, Revision revision = 0) override;
  ReadResult<List> list(const ListQuery& query) override;
  ReadResult<std::unique_ptr<Watch>> watch(const WatchQuery& query) override;
  void write_async(std::vector<Change> changes, std::function<void(Result<Written>)> done) override;
  Result<void> drop(std::string_view resource) override;
  Result<void> invalidate(std::string_view resource) override;
  Result<std::optional<std::string>> value(std::string_view name) override;
  Result<void> set_value(std::string_view name, std::string_view value) override;
  Result<void> compact(Revision revision) override;
  Result<void> health() const override;
  StorageCounts counts() const override;
  void close() override;

 private:
  struct State;
  class FaultyWatch;
  ReadResult<void> check_past(Revision revision);

  std::unique_ptr<Storage> inner_;
  std::shared_ptr<State> state_;
};

}  // namespace fairway::apiserver::storage
