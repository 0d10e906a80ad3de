// HTTP with manners: not too many requests at once, and retries that wait.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/client.h"

namespace fairway::oci {

struct TransportOptions {
  std::vector<std::string> ca_files;
  int retries = 4;
  int concurrency = 8;
  std::chrono::milliseconds backoff{500};
};

/// How long to wait before retry number `attempt` (from 0): `backoff`, doubled each time up to 30 s, of which
/// `random` (0 to 1) leaves between half and all; never less than what the server asked for.
std::chrono::milliseconds retry_delay(int attempt, std::chrono::milliseconds backoff, double random,
                                      std::chrono::milliseconds asked);

/// Reads a Retry-After value: seconds, or an HTTP date as seen from `now`. What cannot be read is 0.
std::chrono::milliseconds parse_retry_after(std::string_view value, WallTime now);

/// Safe from all threads.
class Transport {
 public:
  static Result<std::unique_ptr<Transport>> create(const TransportOptions& options);

  /// Sends a call and repeats it on broken connections, 429 and 5xx; `before_attempt` is called before each
  /// attempt. The last reply is returned whatever its status. No wait goes beyond the call's deadline.
  Result<http::Reply> send(const http::Call& call, const std::function<void()>& before_attempt = {});

  std::uint64_t requests() const { return requests_; }
  std::uint64_t errors() const { return errors_; }
  std::uint64_t retries() const { return retries_; }

 private:
  Transport(std::unique_ptr<http::Client> client, const TransportOptions& options);
  Result<http::Reply> send_once(const http::Call& call);
  Result<void> acquire(const http::Call& call);
  void release();
  double random();

  std::unique_ptr<http::Client> client_;
  TransportOptions options_;
  std::mutex mutex_;
  std::condition_variable_any free_again_;
  int free_;
  std::minstd_rand random_;
  std::atomic<std::uint64_t> requests_{0}, errors_{0}, retries_{0};
};

}  // namespace fairway::oci
