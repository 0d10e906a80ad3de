// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/client_pool.h"

#include <iterator>
#include <utility>

namespace fairway::http {
namespace {

/// Connections without calls for longer are not used again: many servers and middleboxes give up at 60 s.
constexpr std::chrono::seconds most_idle_time{50};

}  // namespace

Result<std::shared_ptr<Http2Connection>> Http2Pool::take(const std::string& origin,
                                                         const SocketWait& sockets) {
  // Ended without the lock, because their threads are waited for.
  std::vector<std::shared_ptr<Http2Connection>> dropped;
  std::unique_lock lock(mutex_);
  while (true) {
    drop_ended(dropped);
    const auto found = connections_.find(origin);
    if (found != connections_.end()) {
      for (const auto& each : found->second) {
        if (each->reserve()) return each;
        const auto limit = each->known_limit();
        if (limit) limits_[origin] = *limit;
        if (limit == 0U)
          return fail(ErrorCode::unavailable, "the server takes no calls now (MAX_CONCURRENT_STREAMS is 0)");
      }
    }
    if (older_.contains(origin)) return nullptr;
    if (opening_.insert(origin).second) return nullptr;
    const Limits& limits = sockets.limits();
    const bool in_time =
        changed_.wait_until(lock, limits.stop, limits.deadline, [&] { return !opening_.contains(origin); });
    if (in_time) continue;
    if (limits.stop.stop_requested())
      return fail(ErrorCode::cancelled, "waiting for a connection: the call was cancelled");
    return fail(ErrorCode::deadline_exceeded, "waiting for a connection: the deadline has passed");
  }
}

void Http2Pool::drop_ended(std::vector<std::shared_ptr<Http2Connection>>& dropped) {
  for (auto entry = connections_.begin(); entry != connections_.end();) {
    auto& connections = entry->second;
    for (auto each = connections.begin(); each != connections.end();) {
      if ((*each)->is_kept(most_idle_time)) {
        ++each;
      } else {
        dropped.push_back(std::move(*each));
        each = connections.erase(each);
      }
    }
    entry = connections.empty() ? connections_.erase(entry) : std::next(entry);
  }
}

void Http2Pool::opened(const std::string& origin, std::shared_ptr<Http2Connection> connection, bool failed) {
  const std::scoped_lock lock(mutex_);
  if (connection) {
    older_.erase(origin);
    // Otherwise many calls would rely on room that is not there.
    if (const auto known = limits_.find(origin); known != limits_.end())
      connection->expect_limit(known->second);
    connections_[origin].push_back(std::move(connection));
  } else if (!failed) {
    older_.insert(origin);
  }
  opening_.erase(origin);
  changed_.notify_all();
}

}  // namespace fairway::http
