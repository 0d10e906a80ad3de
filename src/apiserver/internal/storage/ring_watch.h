// SPDX-License-Identifier: Apache-2.0

// A watch of a resource: out of the file until it reaches the ring, then out of the ring.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/storage/resource_cache.h"

namespace fairway::apiserver::storage {

/// The part of the storage that a watch needs. The watch may outlive the storage.
class WatchSource {
 public:
  virtual ~WatchSource() = default;
  virtual Revision revision() const = 0;
  /// Returns events from the file. Errors: `compacted` if they are no longer kept.
  virtual ReadResult<HistoryPage> past_events(const std::string& resource, Revision from) = 0;
  std::atomic<std::uint64_t> watches{0}, slow_watches{0};
};

class RingWatch final : public Watch, public Subscriber {
 public:
  RingWatch(std::shared_ptr<WatchSource> source, std::shared_ptr<ResourceCache> cache,
            const WatchQuery& query);
  ~RingWatch() override;
  WatchBatch poll(std::size_t limit) override;
  void on_ready(std::function<void()> ready) override;
  bool may_block() const override { return !cursor_ && !end_; }
  Revision revision() const override { return delivered_; }

  void wake(const std::vector<EventPtr>& events, std::uint64_t middle) override;
  void end(WatchEnd end) override;

 private:
  void call_ready();
  WatchBatch ended(WatchBatch batch, WatchEnd end, std::string reason);
  WatchBatch poll_file(std::size_t limit);

  std::shared_ptr<WatchSource> source_;
  std::shared_ptr<ResourceCache> cache_;
  const std::string namespace_name_;
  Revision delivered_;
  std::optional<std::uint64_t> cursor_;  ///< position in the ring, once that is reached
  HistoryPage page_;                     ///< events from the file that did not fit into a batch
  std::size_t page_at_ = 0;
  std::optional<WatchEnd> end_;
  std::string reason_;

  /// `cursor_` after the last poll, for threads that wake it; 0: it reads the file.
  std::atomic<std::uint64_t> position_{0};
  /// `WatchEnd` + 1 of the end that was requested; 0: none.
  std::atomic<int> requested_end_{0};
  std::function<void()> ready_;  ///< guarded by the cache's subscribers
};

}  // namespace fairway::apiserver::storage
