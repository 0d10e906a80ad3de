// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/transport.h"

#include <algorithm>
#include <utility>

#include "http/retry_after.h"

namespace fairway::oci {

namespace {

using std::chrono::milliseconds;
constexpr milliseconds longest_backoff{30'000};

bool is_worth_a_retry(int status) {
  return status == 429 || status >= 500;
}

}  // namespace

BackoffSchedule retry_schedule(milliseconds backoff) {
  return {.first = std::chrono::nanoseconds(backoff) / 2,
          .longest = longest_backoff / 2,
          .factor = 2,
          .jitter = 1};
}

Result<std::unique_ptr<Transport>> Transport::create(const TransportOptions& options) {
  auto client = http::Client::create(
      {.ca_files = options.ca_files,
       .max_idle_connections_per_host = static_cast<std::size_t>(std::max(options.concurrency, 1)),
       .clock = options.clock});
  if (!client) return fail(client.error());
  return std::unique_ptr<Transport>(new Transport(*std::move(client), options));
}

Transport::Transport(std::unique_ptr<http::Client> client, const TransportOptions& options)
    : client_(std::move(client)),
      options_(options),
      clock_(*options.clock),
      free_(std::max(options.concurrency, 1)),
      random_(system_random()) {}

Result<void> Transport::acquire(const http::Call& call) {
  std::unique_lock lock(mutex_);
  if (released_.wait(lock, clock_, call.limits, [this] { return free_ > 0; })) {
    --free_;
    return {};
  }
  if (call.limits.stop.stop_requested())
    return fail(ErrorCode::cancelled, call.url.to_string() + ": stopped");
  return fail(ErrorCode::deadline_exceeded,
              call.url.to_string() + ": the deadline passed before its turn came");
}

void Transport::release() {
  {
    const std::lock_guard lock(mutex_);
    ++free_;
  }
  released_.notify_all();
}

Result<http::Reply> Transport::send_once(const http::Call& call) {
  if (auto turn = acquire(call); !turn) return fail(turn.error());
  ++requests_;
  auto reply = client_->send(call);
  release();
  if (!reply || is_worth_a_retry(reply->status)) ++errors_;
  // The client does not know how its callers are told of CAs.
  if (!reply && reply.error().message.ends_with("trusted CA file")) {
    return fail(reply.error().code, reply.error().message + " (--ca-file)");
  }
  return reply;
}

Result<http::Reply> Transport::send(const http::Call& given, const std::function<void()>& before_attempt) {
  http::Call call = given;
  bool refused_by_sink = false;
  if (given.on_body) {
    call.on_body = [&](std::string_view piece) -> Result<void> {
      auto taken = given.on_body(piece);
      refused_by_sink = refused_by_sink || !taken;
      return taken;
    };
  }
  Backoff backoff(retry_schedule(options_.backoff), clock_, [this] {
    const std::lock_guard lock(mutex_);
    return random_();
  });
  for (int attempt = 0;; ++attempt) {
    if (before_attempt) before_attempt();
    auto reply = send_once(call);
    if (refused_by_sink || attempt >= options_.retries) return reply;
    if (reply ? !is_worth_a_retry(reply->status) : reply.error().code != ErrorCode::unavailable) return reply;
    std::chrono::nanoseconds pause = backoff.next();
    if (reply) pause = std::max(pause, http::retry_after(reply->headers, clock_).value_or(pause));
    const SteadyTime until = clock_.steady() + pause;
    if (until >= call.limits.deadline) return reply;  // what failed says more than "deadline"
    ++retries_;
    if (!clock_.wait_until(until, call.limits.stop)) {
      return fail(ErrorCode::cancelled, call.url.to_string() + ": stopped");
    }
  }
}

}  // namespace fairway::oci
