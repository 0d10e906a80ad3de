// SPDX-License-Identifier: Apache-2.0

// Faults on request, for tests of clients: `/fairway/faults` (docs/testing-faults.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/rest/call.h"
#include "apiserver/internal/watch/watch_hub.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Requests that have a fault.
struct FaultRule {
  std::string resource;    ///< "boats.example.com"; empty: all
  std::uint64_t left = 0;  ///< number of requests that still have it
  std::chrono::nanoseconds delay{};
};

/// Makes the faults that clients ask for. Safe from all threads.
class TestFaults {
 public:
  /// `objects` and `watches` must outlive it.
  TestFaults(objects::Objects& objects, watch::WatchHub& watches) : objects_(objects), watches_(watches) {}

  /// Answers a request for `/fairway/faults`: GET shows the faults that are still to come, POST adds some,
  /// and DELETE removes all. Errors (400): the body is not understood; nothing of it is done then.
  k8s::StatusResult<http::Response> answer(const http::Request& request);

  /// Lets a request of a client have its fault: it waits, or is refused with 409 in place of an update.
  k8s::StatusResult<void> meet(const Call& call, std::string_view verb);

 private:
  k8s::StatusResult<http::Response> add(const http::Request& request);
  /// Makes every version that a client may know too old.
  Result<void> expire();
  http::Response state(std::optional<std::size_t> cut = {});

  objects::Objects& objects_;
  watch::WatchHub& watches_;
  std::mutex mutex_;
  std::optional<FaultRule> conflicts_, slow_writes_;  ///< guarded by `mutex_`
};

}  // namespace fairway::apiserver::rest
