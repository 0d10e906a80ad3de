// SPDX-License-Identifier: Apache-2.0

// The frames of a WebSocket (RFC 6455) whose server only sends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fairway::http {

/// Writes a text, given piece by piece, as messages: one a line, with its newline.
class LineMessages {
 public:
  /// Returns the frames of the next piece. A line that goes on in the next one is a message in fragments.
  std::string frames(std::string_view piece);

 private:
  bool within_ = false;  ///< a message has begun and not ended
};

/// Returns the frame that closes: the server has no more to say.
std::string close_frame();

/// Reads the frames of a client, piece by piece, and answers them. Messages are skipped.
class ClientFrames {
 public:
  /// Appends the answers to what has come: a pong for each ping, and a close for a close. Returns false at
  /// the client's close, or where it breaks the protocol; nothing may follow then.
  bool feed(std::string_view bytes, std::string& answers);

 private:
  bool begin_frame();

  std::string head_;             ///< bytes of a frame's head, until it is whole
  std::string payload_;          ///< payload of a frame of control, unmasked
  std::uint64_t remaining_ = 0;  ///< bytes of the payload that have not come
  std::uint64_t position_ = 0;   ///< bytes of the payload that have come
  bool in_payload_ = false;
};

}  // namespace fairway::http
