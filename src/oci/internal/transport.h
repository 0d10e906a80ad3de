// SPDX-License-Identifier: Apache-2.0

// HTTP with manners: not too many requests at once, and retries that wait.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/timed_condition.h"
#include "http/client.h"
#include "oci/transport_options.h"

namespace fairway::oci {

/// Returns the pauses between attempts: `backoff`, doubled each time up to 30 s, of which a random part
/// between half and all is waited.
BackoffSchedule retry_schedule(std::chrono::milliseconds backoff);

/// Sends calls with retries. Safe from all threads.
class Transport {
 public:
  static Result<std::unique_ptr<Transport>> create(const TransportOptions& options);

  /// Sends a call and repeats it on broken connections, 429 and 5xx; `before_attempt` is called before each
  /// attempt. The last reply is returned whatever its status. No wait goes beyond the call's deadline.
  Result<http::Reply> send(const http::Call& call, const std::function<void()>& before_attempt = {});

  Clock& clock() const { return clock_; }
  std::uint64_t requests() const { return requests_; }
  std::uint64_t errors() const { return errors_; }
  std::uint64_t retries() const { return retries_; }

 private:
  Transport(std::unique_ptr<http::Client> client, const TransportOptions& options);
  Result<http::Reply> send_once(const http::Call& call);
  Result<void> acquire(const http::Call& call);
  void release();

  std::unique_ptr<http::Client> client_;
  TransportOptions options_;
  Clock& clock_;
  std::mutex mutex_;
  TimedCondition released_;
  int free_;
  Random random_;
  std::atomic<std::uint64_t> requests_{0}, errors_{0}, retries_{0};
};

}  // namespace fairway::oci
