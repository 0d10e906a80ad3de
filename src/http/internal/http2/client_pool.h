// SPDX-License-Identifier: Apache-2.0

// The connections of HTTP/2 that a client has, by origin: one as long as that has room, and no more opened at
// once than one.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "http/internal/http2/client_connection.h"

namespace fairway::http {

class Http2Pool {
 public:
  /// Returns a connection with room for a call, which has been reserved. Null: the caller opens one, and then
  /// calls `opened` in any case. Waits while another thread opens one to that origin. Errors:
  /// `deadline_exceeded`, `cancelled`, `unavailable` (the server takes no calls).
  Result<std::shared_ptr<Http2Connection>> take(const std::string& origin, const SocketWait& sockets);
  /// Adds what was opened: null if that failed (`failed`), or the server does not speak HTTP/2. Room for the
  /// caller's call has been reserved in it.
  void opened(const std::string& origin, std::shared_ptr<Http2Connection> connection, bool failed);

 private:
  /// Moves connections of all origins that take no more calls, or have had none for long, to `dropped`.
  void drop_ended(std::vector<std::shared_ptr<Http2Connection>>& dropped);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::vector<std::shared_ptr<Http2Connection>>> connections_;
  std::map<std::string, std::size_t> limits_;  ///< calls at once that the origins took last
  std::set<std::string> opening_;              ///< origins to which a thread opens a connection
  std::set<std::string> older_;                ///< origins that chose HTTP/1.1 last: nobody waits for them
};

}  // namespace fairway::http
