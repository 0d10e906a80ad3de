// One connection of the server, from accept to close: a state machine that its worker's loop drives.
#pragma once

#include <sys/uio.h>

#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http/internal/memory_file.h"
#include "http/internal/server/begun_table.h"
#include "http/internal/server/event_loop.h"
#include "http/internal/server/rate_limit.h"
#include "http/internal/server/request_parser.h"
#include "http/internal/server/router.h"
#include "http/internal/server/stream.h"
#include "http/internal/tls/tls.h"
#include "http/message.h"

namespace fairway::http {

class Worker;

/// What a connection waits for; each has its own limit.
enum class Wait : std::uint8_t { request, head, body, write, linger, none };
constexpr std::size_t wait_kinds = 5;

/// The buffer and parser of a request. A connection has one only while it reads or handles a request, so that
/// idle ones stay small.
struct Intake {
  explicit Intake(const RequestParser::Limits& limits);
  /// The size of its buffer, in bytes.
  static std::size_t capacity_for(const RequestParser::Limits& limits) {
    return 2 * limits.head_bytes + 4096;
  }
  void clear();
  /// Makes room behind `end`. None: what is being read does not fit.
  std::size_t make_room();

  std::size_t capacity;
  std::unique_ptr<char[]> buffer;
  std::size_t begin = 0, end = 0;  ///< what has come and is not parsed yet
  std::size_t floor = 0;           ///< bytes before this belong to the head that is being served
  bool started = false;            ///< something of a request has come
  bool head_done = false;
  bool body_refused = false;  ///< the request is answered although its body has not come
  RequestParser parser;
  Request request;
};

class Connection final : public Ready, public StreamReader {
 public:
  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  /// `tls_generation`: which of the server's certificates the session has.
  Connection(Worker& worker, int fd, Peer peer, const AddressKey& address, std::unique_ptr<TlsSession> tls,
             std::uint32_t tls_generation);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void on_ready(std::uint32_t events) override;
  void on_stream() override;
  /// The limit on what it waits for has passed.
  void on_deadline();
  /// Its turn has come again.
  void go_on();
  /// The server stops soon: closes when idle, asks a stream to end.
  void drain();
  /// Closes for want of a reader that takes its reply, and drops what the kernel holds in either direction.
  void give_up();
  /// Closes now. While a handler runs it is asked to stop, and the rest follows when it returns.
  void cut();
  /// The same for want of room: where it has had its time for the last reply, and takes nothing of it, what
  /// the kernel holds of it is dropped.
  void give_way(bool had_time);

  /// What its request holds of the memory that can be given back, in bytes.
  std::size_t held() const;
  /// What a request holds that has only begun to come, its body apart; or a handshake. In bytes.
  std::size_t cost() const;
  /// How far its request has come.
  Stage stage() const;
  const AddressKey& address() const { return address_; }

  /// What its reply holds that its reader has not taken: bytes that are its own, of a stream its share of
  /// those that others hold, too, the kernel's part, and what has come in behind the request. In bytes.
  std::size_t unread_cost() const;
  Hook deadline_hook, all_hook, unfinished_hook, unread_hook;
  SteadyTime deadline = SteadyTime::max();
  Wait waits_for = Wait::none;
  /// What it counts for as a request that has only begun to come, 0: it is none; and its body, where bodies
  /// have no limit of their own.
  std::size_t unfinished = 0, unfinished_body = 0;
  std::uint64_t begun = 0;               ///< its number in `ServerState::begun`, while it counts
  Stage begun_stage = Stage::handshake;  ///< and the stage it has there
  std::size_t unread = 0;                ///< what it counts for as a reply that waits for its reader

 private:
  enum class Phase : std::uint8_t { handshake, receiving, handling, writing, streaming, lingering, dead };
  /// What is still to be written: text of our own, then shared bytes.
  struct Segment {
    std::string text;
    Bytes bytes;
    /// The same bytes, where the kernel can take them from a file.
    std::shared_ptr<const MemoryFile> file;
    std::size_t sent = 0;
    std::string_view rest() const { return std::string_view(bytes ? *bytes : text).substr(sent); }
  };
  enum class Io : std::uint8_t { done, blocked, closed, failed };

  void advance();
  void handshake();
  void serve();
  enum class Step : std::uint8_t { needs_bytes, replied, parked };
  Step parse();
  Step respond();
  Step dispatch(const RouteTable::Route& route);
  void on_handled();
  /// Its turn has not come.
  void on_refused();
  Step refuse_turn();
  void forget_turn();
  Step refuse(int status, std::string_view why, bool close, std::string_view field = {},
              std::string value = {});
  Step reply_with_file(std::string head, Bytes body, std::shared_ptr<const MemoryFile> file);
  Step reply(Response response);
  /// Parks a reply of which the socket has not taken all.
  Step await_reader();
  /// Sends what was queued: a whole reply that is not a stream.
  Step send_queued();
  Step reply_with_stream(Response& response);
  Step finish_reply();
  void build_head(std::string& out, const Response& response, bool chunked, std::size_t body_size) const;
  Io flush();
  Io send_file(const Segment& segment, std::size_t& written);
  Step pump();
  void queue(std::string text, Bytes bytes = nullptr);
  Io receive(char* out, std::size_t room, std::size_t& got);
  Io transmit(std::span<const iovec> pieces, std::size_t& written, bool more_follows = false);
  /// Waits for the rest of a request, or refuses it: there are too many, or its body has become too large.
  void await_rest(Wait what);
  /// Returns whether enough has gone over the connection since the last look, or it waits in something else's
  /// turn.
  bool body_is_fast_enough();
  /// Of what was sent, the bytes that the other side has not acknowledged.
  std::size_t unacknowledged() const;
  /// Returns whether its client takes nothing of that, and has not for half a second or more.
  bool is_stuck() const;
  bool reader_is_fast_enough();
  Step start_lingering();
  void linger();
  /// Lets go of a request that has its reply; what has come in behind it stays.
  void forget_request();
  void release_intake();
  void close(bool abort = false);

  Worker& worker_;
  int fd_;
  Phase phase_ = Phase::receiving;
  bool readable_ = false;
  bool peer_closed_ = false;  ///< the other side has said that it sends no more
  bool close_after_ = false;  ///< this reply is the last one
  bool head_only_ = false;    ///< the request was a HEAD
  bool http10_ = false;
  bool chunked_ = false;
  bool stream_ended_ = false;
  bool closes_when_handled_ = false;  ///< it was cut while its handler ran
  std::size_t lingered_ = 0;
  SteadyTime body_began_, write_began_;                 ///< of streams: since when its reader is too slow
  std::size_t body_bytes_ = 0;                          ///< of the body since the last look at its rate
  std::uint64_t sent_bytes_ = 0, delivered_bytes_ = 0;  ///< in all; and known as received at the last look
  std::size_t batch_bytes_ = 0;                         ///< of the stream's pieces that are being written
  AddressKey address_;
  std::unique_ptr<TlsSession> tls_;
  std::uint32_t tls_generation_;
  std::unique_ptr<Intake> intake_;
  std::vector<Segment> unsent_;
  std::size_t sent_segments_ = 0;
  std::shared_ptr<StreamQueue> stream_;
  std::stop_source cancel_{std::nostopstate};
  Response result_;
  Peer peer_;
};

}  // namespace fairway::http
