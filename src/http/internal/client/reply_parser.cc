// SPDX-License-Identifier: Apache-2.0

#include "http/internal/client/reply_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>

#include "http/internal/chunked_body.h"

namespace fairway::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::error_code;

constexpr std::uint32_t most_head_bytes = 64 * 1024;

}  // namespace

struct ReplyParser::Implementation {
  class Parser final : public beast::basic_parser<false> {
   public:
    explicit Parser(Implementation& owner) : owner_(owner) {}

   private:
    void on_request_impl(beast::verb, boost::beast::string_view, boost::beast::string_view, int,
                         error_code&) override {}
    void on_response_impl(int code, boost::beast::string_view phrase, int, error_code&) override {
      owner_.status = code;
      owner_.phrase.assign(phrase.data(), phrase.size());
    }
    void on_field_impl(beast::field, boost::beast::string_view name, boost::beast::string_view value,
                       error_code&) override {
      owner_.headers.add(std::string(name), std::string(value));
    }
    void on_header_impl(error_code&) override { owner_.head_done = true; }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(boost::beast::string_view piece, error_code& ec) override {
      owner_.on_body({piece.data(), piece.size()}, ec);
      return piece.size();
    }
    std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view, error_code&) override {
      return 0;  // chunks are read elsewhere
    }
    void on_chunk_header_impl(std::uint64_t, boost::beast::string_view, error_code&) override {}
    void on_finish_impl(error_code&) override {}

    Implementation& owner_;
  };

  explicit Implementation(bool head) : to_head(head) { reset(); }

  void reset() {
    parser.emplace(*this);
    parser->header_limit(most_head_bytes);
    parser->body_limit(std::numeric_limits<std::uint64_t>::max());
    parser->skip(to_head);
    chunks.reset();
    chunks_done = false;
    headers = {};
    status = 0;
    phrase.clear();
    head_done = head_told = false;
    head_bytes = 0;
  }

  void on_body(std::string_view piece, error_code& ec) {
    if (!sink) return;
    if (auto taken = sink(piece); !taken) {
      refused = std::move(taken.error());
      ec = beast::error::bad_value;
    }
  }

  /// Reads the rest of a chunked body. Beast's reader of chunks has assertions that a server can make fail.
  Result<Progress> feed_chunks(std::string_view bytes, std::size_t& consumed) {
    while (!chunks_done) {
      std::size_t used = 0;
      std::string_view piece;
      const ChunkedBody::Step step = chunks->next(bytes, used, piece);
      consumed += used;
      bytes.remove_prefix(used);
      switch (step) {
        case ChunkedBody::Step::more:
          return Progress::more;
        case ChunkedBody::Step::complete:
          chunks_done = true;
          break;
        case ChunkedBody::Step::failed:
          return fail(ErrorCode::unavailable,
                      "the server's reply is no well-formed HTTP: " + std::string(chunks->why()));
        case ChunkedBody::Step::piece:
          if (sink) {
            if (auto taken = sink(piece); !taken) return fail(taken.error());
          }
      }
    }
    return Progress::complete;
  }

  Result<Progress> feed(std::string_view bytes, std::size_t& consumed) {
    consumed = 0;
    if (chunks) return feed_chunks(bytes, consumed);
    if (head_told && parser->is_done()) return Progress::complete;
    while (!bytes.empty()) {
      error_code ec;
      const std::size_t used = parser->put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
      consumed += used;
      bytes.remove_prefix(used);
      if (!head_told) head_bytes += used;
      if (refused) return fail(*refused);
      if (ec && ec != beast::error::need_more) {
        return fail(ErrorCode::unavailable, "the server's reply is no well-formed HTTP: " + ec.message());
      }
      if (!head_told && head_bytes > most_head_bytes) {
        return fail(ErrorCode::unavailable, "the head of the server's reply is longer than " +
                                                std::to_string(most_head_bytes) + " bytes");
      }
      if (head_done && !head_told) {
        if (status == 101) {
          return fail(ErrorCode::unavailable, "the server switched to a protocol that was not requested");
        }
        if (status / 100 == 1) {
          reset();
          continue;
        }
        head_told = true;
        if (parser->chunked() && !parser->is_done()) chunks.emplace();
        return Progress::head;
      }
      if (parser->is_done()) return Progress::complete;
      if (ec == beast::error::need_more) break;
    }
    return parser->is_done() ? Progress::complete : Progress::more;
  }

  const bool to_head;
  std::optional<Parser> parser;
  std::optional<ChunkedBody> chunks;
  bool chunks_done = false;
  Headers headers;
  Sink sink;
  std::optional<Error> refused;
  std::size_t head_bytes = 0;
  int status = 0;
  std::string phrase;
  bool head_done = false;
  bool head_told = false;
};

ReplyParser::ReplyParser(bool to_head) : implementation_(std::make_unique<Implementation>(to_head)) {}
ReplyParser::~ReplyParser() = default;

void ReplyParser::set_sink(Sink sink) {
  implementation_->sink = std::move(sink);
}

Result<ReplyParser::Progress> ReplyParser::feed(std::string_view bytes, std::size_t& consumed) {
  return implementation_->feed(bytes, consumed);
}

Result<void> ReplyParser::finish() {
  error_code ec;
  const bool in_chunks = implementation_->chunks && !implementation_->chunks_done;
  if (implementation_->head_told && !implementation_->chunks) implementation_->parser->put_eof(ec);
  if (!implementation_->head_told || in_chunks || ec) {
    return fail(ErrorCode::unavailable, "the server closed the connection in the middle of its reply");
  }
  return {};
}

int ReplyParser::status() const {
  return implementation_->status;
}

std::string& ReplyParser::phrase() {
  return implementation_->phrase;
}
Headers& ReplyParser::headers() {
  return implementation_->headers;
}
bool ReplyParser::keep_alive() const {
  return implementation_->parser->keep_alive();
}

}  // namespace fairway::http
