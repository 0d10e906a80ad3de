// SPDX-License-Identifier: Apache-2.0

// One call on a connection of HTTP/2: what its stream has brought, until the caller's thread takes it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace fairway::http {

/// The state of a call. Guarded by the mutex of its connection.
struct Http2Exchange {
  std::int32_t stream = -1;
  std::string_view body = {};  ///< the rest of the request's body, not sent yet
  std::condition_variable_any changed;

  int status = 0;
  Headers headers = {};
  std::size_t head_bytes = 0;
  bool sent = false;               ///< the head of the request has been sent
  bool has_head = false;           ///< the head of the reply is complete
  bool ended = false;              ///< the reply is
  std::deque<std::string> pieces;  ///< pieces of the body that nobody has taken
  Error error = {};                ///< the reason why there is no more, if `failed`
  bool failed = false;
  bool unseen = false;     ///< the server says that it has done nothing of the call
  bool abandoned = false;  ///< nobody waits for it any more
};

}  // namespace fairway::http
