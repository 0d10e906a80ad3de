// SPDX-License-Identifier: Apache-2.0

// A client of HTTP/2 that sends exactly the frames it is told to, right or wrong, and shows what comes back.
#pragma once

#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/raw_client.h"

namespace fairway::http {

struct Frame {
  std::uint8_t type = 0, flags = 0;
  std::uint32_t stream = 0;
  std::string payload = {};

  bool ends_stream() const { return (type == 0 || type == 1) && (flags & 1) != 0; }
  /// The error code of RST_STREAM, or of GOAWAY.
  std::uint32_t code() const {
    const std::size_t at = type == NGHTTP2_GOAWAY ? 4 : 0;
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4 && i < payload.size(); ++i)
      number = (number << 8) | static_cast<std::uint8_t>(payload[i]);
    return number;
  }
};

inline std::string number32(std::uint32_t number) {
  std::string text;
  for (const int shift : {24, 16, 8, 0}) text += static_cast<char>((number >> shift) & 0xff);
  return text;
}

inline std::string frame_bytes(const Frame& frame) {
  std::string text = number32(static_cast<std::uint32_t>(frame.payload.size())).substr(1);
  text += static_cast<char>(frame.type);
  text += static_cast<char>(frame.flags);
  return text + number32(frame.stream) + frame.payload;
}

/// A setting's entry in a SETTINGS frame.
inline std::string setting(std::uint16_t name, std::uint32_t value) {
  return number32(name).substr(2) + number32(value);
}

/// An integer of HPACK behind a prefix of so many bits.
inline std::string hpack_number(std::uint8_t first, int bits, std::size_t number) {
  const std::size_t most = (std::size_t{1} << bits) - 1;
  if (number < most) return {static_cast<char>(first | number)};
  std::string text(1, static_cast<char>(first | most));
  for (number -= most; number >= 128; number /= 128) text += static_cast<char>(number % 128 + 128);
  return text + static_cast<char>(number);
}

/// A field as HPACK writes it without Huffman's code: kept in the dynamic table or not.
inline std::string hpack_field(std::string_view name, std::string_view value, bool kept = false) {
  std::string text(1, kept ? '\x40' : '\x00');
  text += hpack_number(0, 7, name.size());
  text += name;
  text += hpack_number(0, 7, value.size());
  return text += value;
}

using FieldList = std::vector<std::pair<std::string, std::string>>;

inline std::string request_block(std::string_view method, std::string_view path, const FieldList& more = {}) {
  std::string block = hpack_field(":method", method) + hpack_field(":scheme", "http") +
                      hpack_field(":path", path) + hpack_field(":authority", "a");
  for (const auto& [name, value] : more) block += hpack_field(name, value);
  return block;
}

struct Http2Reply {
  int status = 0;
  std::map<std::string, std::string> fields = {};
  std::string body = {};
  std::optional<std::uint32_t> reset = {};   ///< code of RST_STREAM
  std::optional<std::uint32_t> goaway = {};  ///< code of GOAWAY; the reply is not whole then
  bool whole = false;
};

class Http2Client {
 public:
  /// Connects and sends the preface with these settings.
  explicit Http2Client(std::uint16_t port, std::string_view settings = {}, const char* from = nullptr,
                       int receive_buffer = 0)
      : raw_(port, receive_buffer, from) {
    nghttp2_hd_inflate_new(&inflater_);
    const int one = 1;
    ::setsockopt(raw_.fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    raw_.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    send({.type = NGHTTP2_SETTINGS, .payload = std::string(settings)});
  }
  ~Http2Client() { nghttp2_hd_inflate_del(inflater_); }
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  RawClient& raw() { return raw_; }
  bool send(const Frame& frame) { return raw_.send(frame_bytes(frame)); }
  /// Sends a request without a body, or the head of one with a body; returns its stream.
  std::uint32_t request(std::string_view method, std::string_view path, const FieldList& more = {},
                        bool whole = true) {
    const std::uint32_t id = std::exchange(next_id_, next_id_ + 2);
    const std::string block = request_block(method, path, more);
    constexpr std::size_t most = 16'000;
    std::string frames;
    for (std::size_t begin = 0; begin < block.size(); begin += most) {
      const bool last = begin + most >= block.size();
      const auto type = static_cast<std::uint8_t>(begin == 0 ? NGHTTP2_HEADERS : NGHTTP2_CONTINUATION);
      const auto flags = static_cast<std::uint8_t>((last ? 4 : 0) | (begin == 0 && whole ? 1 : 0));
      frames +=
          frame_bytes({.type = type, .flags = flags, .stream = id, .payload = block.substr(begin, most)});
    }
    raw_.send(frames);
    return id;
  }
  std::uint32_t get(std::string_view path) { return request("GET", path); }
  void data(std::uint32_t stream, std::string_view bytes, bool last) {
    send({.type = NGHTTP2_DATA,
          .flags = static_cast<std::uint8_t>(last ? 1 : 0),
          .stream = stream,
          .payload = std::string(bytes)});
  }
  void reset(std::uint32_t stream) {
    send({.type = NGHTTP2_RST_STREAM, .stream = stream, .payload = number32(NGHTTP2_CANCEL)});
  }
  void widen(std::uint32_t stream, std::uint32_t bytes) {
    send({.type = NGHTTP2_WINDOW_UPDATE, .stream = stream, .payload = number32(bytes)});
  }

  /// Returns the next frame; nothing when the connection has ended or none came in time.
  std::optional<Frame> next(std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    while (true) {
      const std::string_view bytes = std::string_view(raw_.pending()).substr(used_);
      if (bytes.size() >= 9) {
        const auto byte = [bytes](std::size_t i) {
          return static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i]));
        };
        const std::size_t size = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        if (bytes.size() >= 9 + size) {
          used_ += 9 + size;
          return Frame{.type = static_cast<std::uint8_t>(byte(3)),
                       .flags = static_cast<std::uint8_t>(byte(4)),
                       .stream = ((byte(5) & 0x7f) << 24) | (byte(6) << 16) | (byte(7) << 8) | byte(8),
                       .payload = std::string(bytes.substr(9, size))};
        }
      }
      if (!raw_.read_some(limit)) return std::nullopt;
    }
  }

  /// Reads frames until this stream has its reply, is reset or the connection ends. Windows stay open;
  /// those of other streams are kept for their turn.
  Http2Reply read_reply(std::uint32_t stream) {
    while (!is_done(stream)) {
      const auto frame = next();
      if (!frame) break;
      record(*frame);
    }
    return replies_[stream];
  }
  /// Reads frames until a stream has this many bytes of a body.
  std::string read_body(std::uint32_t stream, std::size_t bytes) {
    while (replies_[stream].body.size() < bytes && !is_done(stream)) {
      const auto frame = next();
      if (!frame) break;
      record(*frame);
    }
    return replies_[stream].body;
  }
  /// Reads frames until the server says why it ends the connection.
  std::optional<std::uint32_t> read_goaway() {
    while (!goaway_) {
      const auto frame = next();
      if (!frame) break;
      record(*frame);
    }
    return goaway_;
  }
  /// Waits until the server has handled all that was sent before.
  bool ping() {
    send({.type = NGHTTP2_PING, .payload = "12345678"});
    while (const auto frame = next()) {
      if (frame->type == NGHTTP2_PING && (frame->flags & 1) != 0) return true;
      record(*frame);
    }
    return false;
  }
  const Http2Reply& reply(std::uint32_t stream) { return replies_[stream]; }
  bool opens_windows = true, answers_settings = true;

 private:
  bool is_done(std::uint32_t stream) {
    Http2Reply& reply = replies_[stream];
    if (goaway_ && *goaway_ != 0) reply.goaway = goaway_;
    return reply.whole || reply.reset || reply.goaway;
  }

  void record(const Frame& frame) {
    Http2Reply& reply = replies_[frame.stream];
    switch (frame.type) {
      case NGHTTP2_HEADERS:
        inflate(frame.payload, reply);
        break;
      case NGHTTP2_DATA:
        reply.body += frame.payload;
        if (opens_windows && !frame.payload.empty()) {
          widen(0, static_cast<std::uint32_t>(frame.payload.size()));
          if (!frame.ends_stream()) widen(frame.stream, static_cast<std::uint32_t>(frame.payload.size()));
        }
        break;
      case NGHTTP2_RST_STREAM:
        reply.reset = frame.code();
        break;
      case NGHTTP2_GOAWAY:
        goaway_ = frame.code();
        break;
      case NGHTTP2_SETTINGS:
        if ((frame.flags & 1) == 0 && answers_settings) send({.type = NGHTTP2_SETTINGS, .flags = 1});
        break;
      default:
        break;
    }
    if (frame.ends_stream()) reply.whole = true;
  }

  void inflate(const std::string& block, Http2Reply& reply) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t left = block.size();
    while (true) {
      nghttp2_nv field;
      int flags = 0;
      const auto used = nghttp2_hd_inflate_hd2(inflater_, &field, &flags, bytes, left, 1);
      if (used < 0) throw std::runtime_error("the server's HPACK is wrong");
      bytes += used;
      left -= static_cast<std::size_t>(used);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        const std::string name(reinterpret_cast<char*>(field.name), field.namelen);
        const std::string value(reinterpret_cast<char*>(field.value), field.valuelen);
        if (name == ":status") reply.status = std::stoi(value);
        reply.fields[name] = value;
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_);
  }

  RawClient raw_;
  std::size_t used_ = 0;  ///< bytes of what was received that have been read as frames
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::uint32_t next_id_ = 1;
  std::map<std::uint32_t, Http2Reply> replies_;
  std::optional<std::uint32_t> goaway_;
};

}  // namespace fairway::http
