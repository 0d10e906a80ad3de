// SPDX-License-Identifier: Apache-2.0

// A connection that speaks HTTP/2: nghttp2's session, its streams and the frames that wait for the socket.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "http/internal/http2/frame_budget.h"
#include "http/internal/http2/frame_scanner.h"
#include "http/internal/http2/header_block.h"
#include "http/internal/http2/output_queue.h"
#include "http/internal/http2/server_stream.h"
#include "http/internal/http2/stream_numbers.h"
#include "http/internal/server/connection.h"
#include "http/internal/server/session.h"

namespace fairway::http {

class Http2Session final : public Session {
 public:
  /// Memory of a session without its streams: the tables of both directions and nghttp2's buffers.
  static constexpr std::size_t bytes = std::size_t{17} << 10;
  /// The error codes of HTTP/2 with which a connection ends here.
  enum class Reason : std::uint32_t {
    no_error = NGHTTP2_NO_ERROR,
    protocol_error = NGHTTP2_PROTOCOL_ERROR,
    internal_error = NGHTTP2_INTERNAL_ERROR,
    stream_closed = NGHTTP2_STREAM_CLOSED,
    enhance_your_calm = NGHTTP2_ENHANCE_YOUR_CALM
  };

  explicit Http2Session(Connection& connection);
  ~Http2Session() override;
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  void advance() override;
  void drain() override;
  void retire() override { end(Reason::no_error); }
  void leave(bool farewell) override;
  std::size_t cost() const override { return bytes; }
  std::size_t unread() const override { return output_.held() + bytes; }
  std::size_t take_progress() override { return std::exchange(progress_, 0); }
  bool only_streams_wait() const override;
  /// Ends: the client is told why, and which of its requests have been seen.
  void end(Reason reason);

  // For its streams.
  Worker& worker() { return connection_.worker(); }
  const std::shared_ptr<const Peer>& peer() const { return peer_; }
  /// Notes that a request has come whole: it may be the last one.
  void on_request();
  void submit_continue(std::int32_t id);
  void submit_reply(Http2Stream& stream, const HeaderBlock& block, bool has_body);
  /// Sends what a streamed reply has queued meanwhile, together with that of others.
  void resume(Http2Stream& stream);
  void reset(std::int32_t id, std::uint32_t code);
  /// The bytes that the client takes of a stream now.
  std::int32_t window_of(std::int32_t id) const;
  /// Has a stream counted anew when this turn ends.
  void touch(Http2Stream& stream);
  /// Has the connection go on soon.
  void schedule();
  /// Forgets a stream that nghttp2 has closed and whose handler has returned.
  void forget(std::int32_t id);

 private:
  friend struct Http2Callbacks;
  struct FreeSession {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  void read();
  /// Writes until nothing is left, the socket is full, or others have to have their turn.
  void write();
  /// Takes frames from nghttp2 until enough wait for the socket. False: the connection is closed.
  bool pull();
  /// Counts streams and the connection as what they are now, and closes what has come to its end.
  void settle();
  void settle_connection();
  bool has_finished() const;
  bool is_blocked() const;
  /// Returns whether enough waits for the socket.
  bool is_full() const;
  /// Opens a stream for a request that begins, or refuses it.
  void open_stream(std::int32_t id);
  Http2Stream* stream_of(std::int32_t id) const;
  /// Tells the client to open no more streams here, once.
  void give_notice();
  /// Handles a frame whose head has come, before nghttp2 does: whether the client may send it, and what it
  /// costs.
  void judge(const FrameHead& head);
  /// Judges a head or data of a stream that is not open (RFC 9113, section 5.1).
  void judge_number(std::int32_t id);
  /// Hands bytes to nghttp2, frame by frame. False: the connection is closed, or ends.
  bool feed(std::string_view bytes);
  /// Takes tokens for frames that bring no request on: without any left, the client floods.
  void charge(double tokens);

  Connection& connection_;
  std::shared_ptr<const Peer> peer_;
  std::unique_ptr<nghttp2_session, FreeSession> session_;
  std::unordered_map<std::int32_t, std::shared_ptr<Http2Stream>> streams_;
  std::vector<Http2Stream*> touched_;
  std::vector<std::shared_ptr<Http2Stream>> forgotten_;  ///< freed when this turn ends
  OutputQueue output_;
  FrameBudget budget_;
  FrameScanner scanner_;
  StreamNumbers numbers_;
  bool settings_received_ = false;
  std::size_t progress_ = 0;  ///< bytes of replies sent since they were last asked for
  std::size_t turn_requests_ = 0,
              turn_bytes_ = 0;  ///< requests begun in this turn, and bytes it may still send
  bool reading_waits_ = false;  ///< there was more to read than in this turn, or than answers had room
  std::optional<SteadyTime> final_notice_;  ///< time from which no request is taken any more
  bool requested_ = false;                  ///< a request has begun since the connection was last settled
  bool noticed_ = false;                    ///< the client knows that no more streams are taken
  bool ending_ = false;                     ///< it ends with an error, or because it is idle
  std::optional<Reason> fault_;             ///< a fault of the client that nghttp2 does not see
  bool left_ = false;                       ///< the connection is closed
  bool busy_ = false;                       ///< nghttp2 is at work
  bool scheduled_ = false;
};

}  // namespace fairway::http
