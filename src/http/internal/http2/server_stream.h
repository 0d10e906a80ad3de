// SPDX-License-Identifier: Apache-2.0

// One request of a client that speaks HTTP/2, and the reply to it. It counts in the worker's limits as a
// connection of HTTP/1.1 does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "http/internal/http2/reply_body.h"
#include "http/internal/http2/request_fields.h"
#include "http/internal/server/holder.h"
#include "http/internal/server/request_body.h"
#include "http/internal/server/router.h"
#include "http/internal/server/stream.h"
#include "http/message.h"

namespace fairway::http {

class Http2Session;
struct ServerState;

/// A stream. Its session owns it; a handler that runs keeps it beyond that.
class Http2Stream final : public Holder,
                          public StreamReader,
                          public std::enable_shared_from_this<Http2Stream> {
 public:
  /// Makes a stream whose place has been taken (`Worker::take_place`).
  Http2Stream(Http2Session& session, std::int32_t id, const AddressKey& address);
  ~Http2Stream();

  // Events of the client.
  /// Takes a field of the head, or of trailers. False: the client floods.
  bool on_field(std::string_view name, std::string_view value) { return fields_.add(name, value); }
  /// Called when the head is complete; `whole`: no body follows.
  void on_head(bool whole);
  void on_body(std::string_view piece);
  void on_whole();
  /// Called when nghttp2 has closed the stream. Returns whether it is to be forgotten: no handler runs.
  bool on_closed();

  // For the frames of its reply.
  ReplyBody& reply_body() { return reply_; }
  /// Notes bytes of the body that go to the socket.
  void on_sent(std::size_t bytes) { sent_bytes_ += bytes; }
  /// Called when the last frame of the reply has been sent.
  void on_reply_sent();

  /// Lets go of the session, which ends: a handler that runs is asked to stop.
  void abandon();
  /// Asks a streamed reply to end, because the server stops.
  void ask_to_end() { reply_.ask_to_end(); }
  /// Has the worker count it as what it is now: an incomplete request, or a reply that waits.
  void settle();
  /// Returns whether its reply has begun.
  bool is_answered() const { return state_ == State::replying; }
  /// Returns whether it waits for the reader of a whole reply.
  bool awaits_whole_reply() const { return waits_for == Wait::write && !reply_.is_stream(); }
  std::int32_t id() const { return id_; }
  bool is_touched = false;  ///< it is in the session's list of those to settle

  void on_stream() override;
  void on_deadline() override;
  void give_up() override;
  void give_way(bool had_time) override;
  std::size_t held() const override { return body_.bytes().size(); }
  std::size_t cost() const override;
  Stage stage() const override { return state_ == State::head ? Stage::head : Stage::body; }
  std::size_t unread_cost() const override;

 private:
  enum class State : std::uint8_t { head, body, handling, replying, gone };

  void respond();
  void dispatch(const RouteTable::Route& route, Request& request);
  void on_handled();
  /// Called when its turn has not come in time.
  void on_refused();
  void refuse_turn();
  void refuse(int status, std::string_view why, std::string_view field = {}, std::string value = {});
  void reply(Response response);
  /// Hands the head of the reply to nghttp2, and the body if there is one. `length`: what the body is or
  /// would be long, if that is known.
  void submit(int status, const Response& response, bool has_body, std::optional<std::size_t> length);
  /// Ends the stream with an error code of HTTP/2, and frees what it holds.
  void reset(std::uint32_t code);
  bool body_is_fast_enough();
  bool reader_is_fast_enough();
  void release_place();
  /// Lets go of the request, whose handler has returned: only its reply is kept.
  void release_request();
  /// Frees what it holds. A handler that runs is asked to stop, and keeps the request and the place until
  /// then.
  void let_go();

  Http2Session* session_;  ///< null once it has ended
  ServerState& server_;
  const std::int32_t id_;
  State state_ = State::head;
  bool whole_ = false;         ///< the client has sent all of the request
  bool body_refused_ = false;  ///< the request is answered although its body has not been received
  bool discards_ = false;      ///< no handler takes the body
  bool running_ = false;       ///< a handler has it, or will
  bool closed_ = false;        ///< nghttp2 has closed it
  bool has_place_ = true;
  bool head_only_ = false;
  RequestFields fields_;
  RequestHead head_;
  RequestBody body_;
  std::uint64_t body_bytes_ = 0;
  std::size_t recent_bytes_ = 0;  ///< bytes of the body since the last check of its rate
  SteadyTime body_began_, write_began_;
  std::size_t sent_bytes_ = 0;  ///< bytes of the reply since the last check of its rate
  Request request_;
  std::shared_ptr<const Peer> peer_;
  std::stop_source cancel_{std::nostopstate};
  Response result_;
  ReplyBody reply_;
};

}  // namespace fairway::http
