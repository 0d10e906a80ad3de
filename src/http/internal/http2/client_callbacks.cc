// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/client_callbacks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "http/internal/http2/client_connection.h"

namespace fairway::http {
namespace {

/// Bytes of a reply that wait for their caller, and of all replies that may be on their way.
constexpr std::uint32_t stream_window = 256 << 10;
constexpr std::int32_t connection_window = 16 << 20;
/// Largest head of a request: servers refuse smaller ones in words of their own.
constexpr std::size_t most_request_head_bytes = 1 << 20;
/// Largest head of a reply, decompressed.
constexpr std::size_t most_head_bytes = 64 << 10;

std::string_view text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

/// The functions that nghttp2 calls, with the connection's mutex. `data` is the connection.
struct Http2ClientCallbacks {
  static Http2Connection& connection(void* data) { return *static_cast<Http2Connection*>(data); }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                       void* data) {
    Http2Exchange* exchange = connection(data).exchange_of(frame->hd.stream_id);
    if (exchange == nullptr) return 0;
    exchange->head_bytes += name_size + value_size;
    if (exchange->head_bytes > most_head_bytes) {
      exchange->failed = true;
      exchange->error = {ErrorCode::unavailable, "the head of the reply is larger than 64 KiB"};
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (exchange->has_head) return 0;  // trailers
    if (text(name, name_size) == ":status") {
      exchange->status = 0;
      for (const char digit : text(value, value_size))
        exchange->status = exchange->status * 10 + (digit - '0');
    } else {
      exchange->headers.add(std::string(text(name, name_size)), std::string(text(value, value_size)));
    }
    return 0;
  }

  static int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* data) {
    Http2Connection& self = connection(data);
    if (frame->hd.type == NGHTTP2_GOAWAY) self.closing_ = true;
    if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
      self.settled_ = true;
      self.give_up_unsent();
    }
    if (frame->hd.stream_id == 0) return 0;
    Http2Exchange* exchange = self.exchange_of(frame->hd.stream_id);
    if (exchange == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && !exchange->has_head) {
      constexpr int informational = 1;
      if (exchange->status / 100 == informational) {
        exchange->headers = {};
        return 0;
      }
      exchange->has_head = true;
    }
    const bool message = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (message && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      exchange->ended = true;
      // Whoever has its reply sends no more of the request.
      if (!exchange->body.empty())
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    }
    exchange->changed.notify_all();
    return 0;
  }

  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    Http2Exchange* exchange = connection(data).exchange_of(frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_HEADERS && exchange != nullptr) exchange->sent = true;
    return 0;
  }

  static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                     std::size_t size, void* data) {
    // What one caller does not take holds up no other.
    nghttp2_session_consume_connection(session, size);
    Http2Exchange* exchange = connection(data).exchange_of(id);
    if (exchange == nullptr) return 0;
    if (exchange->abandoned) return 0;
    exchange->pieces.emplace_back(text(bytes, size));
    exchange->changed.notify_all();
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* data) {
    Http2Connection& self = connection(data);
    const auto found = self.exchanges_.find(id);
    if (found == self.exchanges_.end()) return 0;
    const auto exchange = std::move(found->second);
    self.exchanges_.erase(found);
    exchange->body = {};
    if (!exchange->ended && !exchange->failed) {
      exchange->failed = true;
      // A server that has begun to answer has done something.
      exchange->unseen = code == NGHTTP2_REFUSED_STREAM && !exchange->has_head;
      exchange->error = {ErrorCode::unavailable, std::string("the server ended the stream of the call (") +
                                                     nghttp2_http2_strerror(code) + ")"};
    }
    exchange->changed.notify_all();
    return 0;
  }

  /// Called for a head that is too large to be sent.
  static int on_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* data) {
    Http2Exchange* exchange = connection(data).exchange_of(frame->hd.stream_id);
    if (frame->hd.type != NGHTTP2_HEADERS || exchange == nullptr) return 0;
    exchange->failed = true;
    exchange->error = {ErrorCode::invalid, "the head of the request is too large to be sent"};
    exchange->changed.notify_all();
    return 0;
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t room,
                           std::uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& exchange = *static_cast<Http2Exchange*>(source->ptr);
    if (exchange.abandoned) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t size = std::min(room, exchange.body.size());
    std::memcpy(out, exchange.body.data(), size);
    exchange.body.remove_prefix(size);
    if (exchange.body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  static std::unique_ptr<nghttp2_session_callbacks, void (*)(nghttp2_session_callbacks*)> make() {
    nghttp2_session_callbacks* made = nullptr;
    nghttp2_session_callbacks_new(&made);
    if (made != nullptr) {
      nghttp2_session_callbacks_set_on_header_callback(made, on_header);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, on_close);
      nghttp2_session_callbacks_set_on_frame_not_send_callback(made, on_not_sent);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, on_sent);
    }
    return {made, nghttp2_session_callbacks_del};
  }
};

nghttp2_session* make_client_session(Http2Connection& owner) {
  static const auto callbacks = Http2ClientCallbacks::make();
  nghttp2_option* raw = nullptr;
  if (!callbacks || nghttp2_option_new(&raw) != 0) return nullptr;
  const std::unique_ptr<nghttp2_option, void (*)(nghttp2_option*)> option(raw, nghttp2_option_del);
  nghttp2_option_set_no_auto_window_update(raw, 1);
  nghttp2_option_set_no_closed_streams(raw, 1);
  nghttp2_option_set_max_send_header_block_length(raw, most_request_head_bytes);
  nghttp2_session* made = nullptr;
  if (nghttp2_session_client_new2(&made, callbacks.get(), &owner, raw) != 0) return nullptr;
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(most_head_bytes)},
  }};
  if (nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) != 0 ||
      nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, connection_window) != 0) {
    nghttp2_session_del(made);
    return nullptr;
  }
  return made;
}

nghttp2_data_provider body_of(Http2Exchange& exchange) {
  return {.source = {.ptr = &exchange}, .read_callback = Http2ClientCallbacks::read_body};
}

}  // namespace fairway::http
