// SPDX-License-Identifier: Apache-2.0

// The data that is served now, its age, and whether there is any: swapped as a whole by Publisher, read by
// every request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "graph/snapshot.h"
#include "updateservice/builder.h"
#include "updateservice/internal/bodies/responses.h"

namespace fairway::updateservice {

/// Responses and the build that they were made of; snapshot and inputs are null while only the bodies were
/// restored from disk.
struct Served {
  std::shared_ptr<const Responses> responses;
  std::shared_ptr<const graph::Snapshot> snapshot;
  std::shared_ptr<const BuiltInputs> inputs;
};

class ServingState {
 public:
  explicit ServingState(const Clock& clock);

  void set(Served built);
  /// Sets the age of the served data: the time of the last refresh in which every source answered, and
  /// whether a later one failed (or none was made since the start).
  void set_age(WallTime last_good, bool stale);
  /// Sets the reason why there is nothing to serve (first line of /readyz); "" once there is something.
  void set_reason(std::string_view reason);
  void set_draining();

  /// Returns the responses, without a lock or a shared counter: valid on the calling thread until its next
  /// call. Null before the first one. A thread that serves nothing keeps those that it served last.
  const Responses* responses() const;
  /// Returns the whole state, for handlers that may take longer.
  Served served() const;

  bool stale() const { return stale_.load(std::memory_order_relaxed); }
  /// Returns the whole seconds since the last good refresh; 0 before any.
  std::chrono::seconds age() const;
  /// Returns the reason why it is not ready; nothing when it is.
  std::optional<std::string> not_ready() const;

 private:
  const Clock& clock_;
  const std::uint64_t id_;
  mutable std::mutex mutex_;
  Served built_;
  std::string reason_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<std::int64_t> last_good_{0};
  std::atomic<bool> stale_{false};
  std::atomic<bool> draining_{false};
};

}  // namespace fairway::updateservice
