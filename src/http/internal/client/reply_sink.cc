// SPDX-License-Identifier: Apache-2.0

#include "http/internal/client/reply_sink.h"

#include <algorithm>

#include "base/text.h"
#include "http/compress.h"

namespace fairway::http {
namespace {

/// Bytes of an unwanted body (of an error, in a call that streams) that are kept for the error's text.
constexpr std::size_t most_error_bytes = 64 * 1024;

}  // namespace

ReplyParser::Sink make_sink(const Call& call, Reply& reply, std::size_t& received) {
  const bool streamed = call.on_body && reply.status / 100 == 2;
  return [&call, &reply, &received, streamed](std::string_view piece) -> Result<void> {
    received += piece.size();
    if (received > call.max_body_bytes) {
      return fail(ErrorCode::too_large,
                  "the reply is larger than the " + std::to_string(call.max_body_bytes) + " bytes allowed");
    }
    if (streamed) return call.on_body(piece);
    if (call.on_body)
      piece = piece.substr(0, most_error_bytes - std::min(most_error_bytes, reply.body.size()));
    reply.body += piece;
    return {};
  };
}

Result<void> decompress(const Call& call, Reply& reply) {
  if (!call.accept_gzip || call.on_body) return {};
  const auto coding = reply.headers.find("Content-Encoding");
  if (!coding || !equals_ignoring_case(trim(*coding), "gzip") || reply.body.empty()) return {};
  auto text = gunzip(reply.body, call.max_body_bytes);
  if (!text) {
    const bool too_large = text.error().code == ErrorCode::too_large;
    return fail(too_large ? ErrorCode::too_large : ErrorCode::unavailable, text.error().message);
  }
  reply.body = std::move(*text);
  reply.headers.remove("Content-Encoding");
  reply.headers.remove("Content-Length");
  return {};
}

}  // namespace fairway::http
