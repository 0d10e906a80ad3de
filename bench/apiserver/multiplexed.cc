// SPDX-License-Identifier: Apache-2.0

#include "multiplexed.h"

#include <array>
#include <string_view>
#include <utility>

namespace fairway::bench {
namespace {

/// Windows of client-go's transport: so wide that no watch waits for them.
constexpr std::int32_t stream_window = 4 << 20, connection_window = 1 << 30;

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {.name = bytes(name),
          .value = bytes(value),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

Multiplexed::Multiplexed(Connection& connection, OnData on_data)
    : connection_(connection), on_data_(std::move(on_data)) {
  nghttp2_session_callbacks* made = nullptr;
  nghttp2_session_callbacks_new(&made);
  const std::unique_ptr<nghttp2_session_callbacks, void (*)(nghttp2_session_callbacks*)> callbacks(
      made, nghttp2_session_callbacks_del);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      made, [](nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
               std::size_t size, void* self) {
        static_cast<Multiplexed*>(self)->on_data_(stream, reinterpret_cast<const char*>(data), size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      made, [](nghttp2_session*, std::int32_t, std::uint32_t, void* self) {
        static_cast<Multiplexed*>(self)->ended_ = true;
        return 0;
      });
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new(&session, made, this);
  session_.reset(session);
  const nghttp2_settings_entry window{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &window, 1);
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, connection_window);
}

std::int32_t Multiplexed::get(const std::string& path) {
  const std::array<nghttp2_nv, 5> fields = {field(":method", "GET"), field(":scheme", "https"),
                                            field(":path", path), field(":authority", "localhost"),
                                            field("accept", "application/json")};
  return nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(), nullptr, nullptr);
}

bool Multiplexed::advance() {
  SSL* ssl = connection_.ssl();
  std::array<char, 1 << 16> piece;
  while (true) {
    const std::uint8_t* bytes = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_.get(), &bytes)) > 0) {
      // What is sent is little: the socket takes it.
      if (SSL_write(ssl, bytes, static_cast<int>(size)) != size) return false;
    }
    const int got = SSL_read(ssl, piece.data(), static_cast<int>(piece.size()));
    if (got <= 0) return SSL_get_error(ssl, got) == SSL_ERROR_WANT_READ && !ended_;
    if (nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(piece.data()),
                                 static_cast<std::size_t>(got)) != got) {
      return false;
    }
  }
}

}  // namespace fairway::bench
