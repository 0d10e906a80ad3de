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
  /// Of a poll with events: the watch ends (`closed`) after some of them.
  double cut_watch = 0;
  /// Of a poll with events: it has none yet, they come with a later one.
  double late_events = 0;
  /// Of a watch or an exact read of a past revision: it is said to be compacted. Clients list again.
  double expired = 0;
  /// Of a write that requires a revision: another writer is faster. The object is written as it is, with an
  /// event, and then the write finds its conflict.
  double conflict = 0;
  /// Of a write: an error, and nothing is written.
  double failed_write = 0;
  /// Of a write: an error, although it is written: the answer is lost.
  double lost_answer = 0;
};

/// Passes everything on to `inner`, which it owns, but for the faults. Safe from all threads.
class FaultyStorage final : public Storage {
 public:
  FaultyStorage(std::unique_ptr<Storage> inner, FaultOptions options);
  ~FaultyStorage() override;

  /// Other chances from now on; the decisions go on where they were.
  void set_faults(const FaultOptions& options);
  /// Ends all watches that there are now.
  void cut_watches();
  /// Watches have no events until it is called with false.
  void hold_events(bool hold);
  /// Reads, watches and writes fail until it is called with false; open watches end.
  void set_dead(bool dead);
  /// How many faults there were.
  std::uint64_t faults() const;

  Revision revision() const override;
  Revision compacted_revision() const override;
  ReadResult<RecordPtr> get(const Key& key, Revision revision = 0) override;
  ReadResult<List> list(const ListQuery& query) override;
  ReadResult<std::unique_ptr<Watch>> watch(const WatchQuery& query) override;
  void write_async(std::vector<Change> changes, std::function<void(Result<Written>)> done) override;
  Result<void> drop(std::string_view resource) override;
  Result<void> renew(std::string_view resource) override;
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
