// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/server_callbacks.h"

#include <algorithm>
#include <array>
#include <memory>

#include "http/internal/http2/server_session.h"
#include "http/internal/server/worker.h"

namespace fairway::http {
namespace {

/// Bytes of a request's body that a client may send ahead: of one stream, and of a connection. They are taken
/// out of the frames at once, so that they bound no memory, only what is on its way.
constexpr std::uint32_t stream_window = 256 << 10;
constexpr std::int32_t connection_window = 1 << 20;
/// CONTINUATION frames of a head, at least: the largest head that is accepted by default fits into two
/// frames.
constexpr std::size_t least_continuations = 8;
/// Bytes of a frame that every client may send.
constexpr std::size_t frame_bytes = 16 * 1024;
/// Largest head of a reply, before it is compressed.
constexpr std::size_t most_reply_head_bytes = 1 << 20;
/// Acknowledgements of pings and settings that wait for a client that does not read.
constexpr std::size_t most_acknowledgements = 500;
/// A limit of nghttp2's that is never reached.
constexpr std::uint64_t no_limit = 1'000'000'000;
/// Costs of frames (`FrameBudget`): a reset of a request that has no answer yet wastes what was done for it.
constexpr double reset_cost = 4, fault_cost = 4, own_reset_cost = 1;
/// Gain of an answer.
constexpr double answer_gain = 2;

}  // namespace

/// The functions that nghttp2 calls. `data` is the session.
struct Http2Callbacks {
  static Http2Session& session(void* data) { return *static_cast<Http2Session*>(data); }
  /// Returns what ends nghttp2's call at once, if the connection has been closed or the client floods.
  static int outcome(const Http2Session& session) {
    return session.left_ || session.fault_ ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    Http2Session& self = session(data);
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) self.open_stream(frame->hd.stream_id);
    return outcome(self);
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                       void* data) {
    Http2Session& self = session(data);
    Http2Stream* stream = self.stream_of(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const auto text = [](const std::uint8_t* bytes, std::size_t size) {
      return std::string_view(reinterpret_cast<const char*>(bytes), size);
    };
    if (!stream->on_field(text(name, name_size), text(value, value_size)))
      self.fault_ = Http2Session::Reason::enhance_your_calm;
    return outcome(self);
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    Http2Session& self = session(data);
    const bool last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    Http2Stream* stream = frame->hd.stream_id == 0 ? nullptr : self.stream_of(frame->hd.stream_id);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        if (stream == nullptr) break;
        self.touch(*stream);
        if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
          stream->on_head(last);
        } else if (last) {
          stream->on_whole();
        }
        break;
      case NGHTTP2_DATA:
        if (stream == nullptr) break;
        self.touch(*stream);
        if (last) stream->on_whole();
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) self.settings_received_ = true;
        break;
      case NGHTTP2_RST_STREAM:
        if (stream != nullptr && !stream->is_answered()) self.charge(reset_cost);
        break;
      default:
        break;
    }
    return outcome(self);
  }

  static int on_fault(nghttp2_session*, const nghttp2_frame*, int, void* data) {
    Http2Session& self = session(data);
    self.charge(fault_cost);
    return outcome(self);
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                     std::size_t size, void* data) {
    Http2Session& self = session(data);
    Http2Stream* stream = self.stream_of(id);
    if (stream == nullptr) return 0;
    self.touch(*stream);
    stream->on_body({reinterpret_cast<const char*>(bytes), size});
    return outcome(self);
  }

  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* data) {
    Http2Session& self = session(data);
    Http2Stream* stream = self.stream_of(id);
    if (stream == nullptr) return 0;
    nghttp2_session_set_stream_user_data(self.session_.get(), id, nullptr);
    if (stream->on_closed()) self.forget(id);
    return 0;
  }

  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    Http2Session& self = session(data);
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      self.numbers_.reset(frame->hd.stream_id);
      // nghttp2 resets some that are malformed without a word.
      if (frame->rst_stream.error_code != NGHTTP2_NO_ERROR) self.charge(own_reset_cost);
    }
    const bool reply = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!reply) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS) self.progress_ += frame->hd.length;
    if (frame->hd.type == NGHTTP2_HEADERS) {
      self.budget_.give(answer_gain);
    } else {
      self.budget_.give(1);
      self.budget_.give_for_data(frame->hd.length);
    }
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    if (Http2Stream* stream = self.stream_of(frame->hd.stream_id)) stream->on_reply_sent();
    return 0;
  }

  /// Called for a head that is too large to be sent: without it the stream would wait for ever.
  static int on_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* data) {
    if (frame->hd.type == NGHTTP2_HEADERS) session(data).reset(frame->hd.stream_id, NGHTTP2_INTERNAL_ERROR);
    return 0;
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t most,
                           std::uint32_t* flags, nghttp2_data_source* source, void* data) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    // What is left of a reply that was given up must not look like all of it.
    if (!stream.is_answered()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    session(data).touch(stream);
    ReplyBody::State after = ReplyBody::State::open;
    const std::size_t bytes = stream.reply_body().ready(most, after);
    if (after == ReplyBody::State::ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (bytes == 0) {
      if (after == ReplyBody::State::open) return NGHTTP2_ERR_DEFERRED;
      // The client must not take what it has got for all there is.
      return after == ReplyBody::State::broken ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : 0;
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    return static_cast<ssize_t>(bytes);
  }

  static int send_body(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t size,
                       nghttp2_data_source* source, void* data) {
    Http2Session& self = session(data);
    if (self.is_full()) return NGHTTP2_ERR_WOULDBLOCK;
    constexpr std::size_t head_bytes = 9;
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    if (!stream.is_answered()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    self.progress_ += size;
    self.output_.append({reinterpret_cast<const char*>(head), head_bytes});
    stream.reply_body().move_to(self.output_, size);
    stream.on_sent(size);
    return 0;
  }

  static std::unique_ptr<nghttp2_session_callbacks, void (*)(nghttp2_session_callbacks*)> make() {
    nghttp2_session_callbacks* made = nullptr;
    nghttp2_session_callbacks_new(&made);
    if (made != nullptr) {
      nghttp2_session_callbacks_set_on_begin_headers_callback(made, on_begin_headers);
      nghttp2_session_callbacks_set_on_header_callback(made, on_header);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
      nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, on_fault);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, on_close);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, on_sent);
      nghttp2_session_callbacks_set_on_frame_not_send_callback(made, on_not_sent);
      nghttp2_session_callbacks_set_send_data_callback(made, send_body);
    }
    return {made, nghttp2_session_callbacks_del};
  }
};

nghttp2_session* make_server_session(Http2Session& owner, const ServerOptions& options) {
  static const auto callbacks = Http2Callbacks::make();
  nghttp2_option* raw = nullptr;
  if (!callbacks || nghttp2_option_new(&raw) != 0) return nullptr;
  const std::unique_ptr<nghttp2_option, void (*)(nghttp2_option*)> option(raw, nghttp2_option_del);
  nghttp2_option_set_no_closed_streams(raw, 1);
  nghttp2_option_set_max_continuations(
      raw, std::max(least_continuations, options.max_header_bytes / frame_bytes + 2));
  nghttp2_option_set_max_send_header_block_length(raw, most_reply_head_bytes);
  nghttp2_option_set_max_outbound_ack(raw, most_acknowledgements);
  // Resets are counted here, by what they cost (`FrameBudget`), and end with an error code of their own.
  nghttp2_option_set_stream_reset_rate_limit(raw, no_limit, no_limit);
  nghttp2_session* made = nullptr;
  if (nghttp2_session_server_new2(&made, callbacks.get(), &owner, raw) != 0) return nullptr;
  const std::array<nghttp2_settings_entry, 4> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.max_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(options.max_header_bytes)},
      // Trees of dependencies (RFC 7540) are work that clients make; nobody uses them any more (RFC 9218).
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  }};
  if (nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) != 0 ||
      nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, connection_window) != 0) {
    nghttp2_session_del(made);
    return nullptr;
  }
  return made;
}

void Http2Session::submit_continue(std::int32_t id) {
  HeaderBlock block;
  block.add_pseudo(":status", "100");
  const auto fields = block.fields();
  nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr, fields.data(), fields.size(),
                         nullptr);
}

void Http2Session::submit_reply(Http2Stream& stream, const HeaderBlock& block, bool has_body) {
  const auto fields = block.fields();
  nghttp2_data_provider body{.source = {.ptr = &stream}, .read_callback = Http2Callbacks::read_body};
  nghttp2_submit_response(session_.get(), stream.id(), fields.data(), fields.size(),
                          has_body ? &body : nullptr);
}

void Http2Session::resume(Http2Stream& stream) {
  nghttp2_session_resume_data(session_.get(), stream.id());
  touch(stream);
  schedule();
}

void Http2Session::reset(std::int32_t id, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, code);
  schedule();
}

std::int32_t Http2Session::window_of(std::int32_t id) const {
  return nghttp2_session_get_stream_remote_window_size(session_.get(), id);
}

}  // namespace fairway::http
