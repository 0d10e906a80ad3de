// SPDX-License-Identifier: Apache-2.0

// One connection of the server, from accept to close: a state machine that its worker's loop drives.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http/internal/memory_file.h"
#include "http/internal/server/event_loop.h"
#include "http/internal/server/holder.h"
#include "http/internal/server/request_parser.h"
#include "http/internal/server/router.h"
#include "http/internal/server/session.h"
#include "http/internal/server/socket_frames.h"
#include "http/internal/server/stream.h"
#include "http/internal/tls/tls.h"
#include "http/message.h"

namespace fairway::http {

class Worker;

/// The buffer and parser of a request. A connection has one only while it reads or handles a request, so that
/// idle ones stay small.
struct Intake {
  explicit Intake(const RequestParser::Limits& limits);
  /// The size of its buffer, in bytes.
  static std::size_t capacity_for(const RequestParser::Limits& limits) {
    return 2 * limits.head_bytes + 4096;
  }
  void clear();
  /// Makes room behind `end`. Returns 0 if the part being read does not fit.
  std::size_t make_room();

  std::size_t capacity;
  std::unique_ptr<char[]> buffer;
  std::size_t begin = 0, end = 0;  ///< bytes received and not parsed yet
  std::size_t floor = 0;           ///< bytes before this belong to the head that is being served
  bool started = false;            ///< some of a request has been received
  bool head_done = false;
  bool body_refused = false;  ///< the request is answered although its body has not been received
  RequestParser parser;
  Request request;
};

class Connection final : public Ready, public StreamReader, public Holder {
 public:
  /// `tls_generation`: which of the server's certificates the session has.
  Connection(Worker& worker, int fd, Peer peer, const AddressKey& address, std::unique_ptr<TlsSession> tls,
             std::uint32_t tls_generation);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void on_ready(std::uint32_t events) override;
  void on_stream() override;
  void on_deadline() override;
  /// Called when its turn has come again.
  void go_on();
  /// Prepares for the stop of the server: closes when idle, asks a stream to end.
  void drain();
  void give_up() override;
  /// Closes now. While a handler runs it is asked to stop, and the rest follows when it returns.
  void cut();
  void give_way(bool had_time) override;

  std::size_t held() const override;
  std::size_t cost() const override;
  Stage stage() const override;
  /// Bytes that only its reply holds, for a stream its share of those that others hold as well, the kernel's
  /// part, and the bytes received behind the request.
  std::size_t unread_cost() const override;
  Hook all_hook;

  // For the session of HTTP/2 that it carries.
  enum class Io : std::uint8_t { done, blocked, closed, failed };
  enum class Step : std::uint8_t { needs_bytes, replied, parked };
  Io receive(char* out, std::size_t room, std::size_t& got);
  Io transmit(std::span<const iovec> pieces, std::size_t& written, bool more_follows = false);
  /// Returns whether there may be bytes to receive.
  bool is_readable() const { return readable_; }
  /// Returns whether its certificate is not served any more.
  bool is_outdated() const;
  Worker& worker() { return worker_; }
  const Peer& peer() const { return peer_; }
  /// Starts to measure how fast its client reads, and has it wait for that.
  void await_session_reader();
  Step start_lingering();
  void close(bool abort = false);

 private:
  enum class Phase : std::uint8_t {
    handshake,
    receiving,
    handling,
    writing,
    streaming,
    session,
    lingering,
    dead
  };
  /// A part of the output that is still to be written: text of our own, or shared bytes.
  struct Segment {
    std::string text;
    Bytes bytes;
    /// File with the same bytes, if the kernel can send them from one.
    std::shared_ptr<const MemoryFile> file;
    std::size_t sent = 0;
    std::string_view rest() const { return std::string_view(bytes ? *bytes : text).substr(sent); }
  };

  void advance();
  void handshake();
  void serve();
  /// Returns whether the client speaks HTTP/2: as the handshake has chosen, or unasked where that is allowed.
  bool speaks_http2();
  void begin_session();
  Step parse();
  Step respond();
  Step dispatch(const RouteTable::Route& route);
  void on_handled();
  /// Called when its turn has not come in time.
  void on_refused();
  Step refuse_turn();
  void forget_turn();
  Step refuse(int status, std::string_view why, bool close, std::string_view field = {},
              std::string value = {});
  Step reply_with_file(std::string head, Bytes body, std::shared_ptr<const MemoryFile> file);
  Step reply(Response response);
  /// Parks a reply that the socket has not taken completely.
  Step await_reader();
  /// Sends the queued output: a whole reply that is not a stream.
  Step send_queued();
  Step reply_with_stream(Response& response);
  Step finish_reply();
  void build_head(std::string& out, const Response& response, bool chunked, std::size_t body_size) const;
  Io flush();
  Io send_file(const Segment& segment, std::size_t& written);
  Step pump();
  /// Begins to read what the client of a WebSocket sends; some of it may have come behind its request.
  void begin_socket();
  /// Reads what the client of a WebSocket has sent. Returns false if the connection has been closed, or will
  /// go on in another turn.
  bool read_socket();
  /// Answers what it has sent; at its end the stream is let go.
  void take_frames(std::string_view bytes);
  void queue(std::string text, Bytes bytes = nullptr);
  /// Waits for the rest of a request, or refuses it: there are too many requests, or its body has become too
  /// large.
  void await_rest(Wait what);
  /// Returns whether the body came fast enough since the last check, and within `body_timeout` in all.
  bool body_is_fast_enough();
  /// Number of sent bytes that the peer has not acknowledged.
  std::size_t unacknowledged() const;
  /// Returns whether its client acknowledges none of those bytes, and has not for half a second or more.
  bool is_stuck() const;
  bool reader_is_fast_enough();
  void linger();
  /// Releases a request that has its reply; bytes received behind it stay.
  void forget_request();
  void release_intake();

  Worker& worker_;
  int fd_;
  Phase phase_ = Phase::receiving;
  bool readable_ = false;
  bool peer_closed_ = false;  ///< the peer has closed its sending side
  bool close_after_ = false;  ///< this reply is the last one
  bool head_only_ = false;    ///< the request was a HEAD
  bool http10_ = false;
  bool chunked_ = false;
  bool stream_ended_ = false;
  bool closes_when_handled_ = false;  ///< it was cut while its handler ran
  std::size_t lingered_ = 0;
  SteadyTime body_began_, write_began_;  ///< for streams: time since which the reader is too slow
  std::size_t body_bytes_ = 0;           ///< bytes of the body since the last check of its rate
  std::uint64_t sent_bytes_ = 0, delivered_bytes_ = 0;  ///< in all; and known as received at the last check
  std::size_t batch_bytes_ = 0;  ///< bytes of the stream's chunks that are being written
  std::unique_ptr<TlsSession> tls_;
  std::uint32_t tls_generation_;
  std::unique_ptr<Intake> intake_;
  std::vector<Segment> unsent_;
  std::size_t sent_segments_ = 0;
  std::shared_ptr<StreamQueue> stream_;
  /// Both directions of a WebSocket, while the stream is sent over one.
  struct Socket {
    LineMessages messages;
    ClientFrames frames;
  };
  std::unique_ptr<Socket> socket_;
  std::stop_source cancel_{std::nostopstate};
  Response result_;
  Peer peer_;
  bool first_bytes_ = true;  ///< nothing has been received yet
  std::unique_ptr<Session> session_;
};

}  // namespace fairway::http
