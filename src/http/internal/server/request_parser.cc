// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "http/internal/chunked_body.h"

namespace fairway::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::error_code;

/// Limit on header fields; no client sends more on purpose.
constexpr std::size_t most_fields = 256;

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

struct RequestParser::Implementation {
  /// Beast's parser of heads, with callbacks that only note where things lie.
  class Parser final : public beast::basic_parser<true> {
   public:
    explicit Parser(Implementation& owner) : owner_(owner) {}

   private:
    void on_request_impl(beast::verb, boost::beast::string_view method, boost::beast::string_view target,
                         int version, error_code& ec) override {
      owner_.on_request(view(method), view(target), version, ec);
    }
    void on_field_impl(beast::field name, boost::beast::string_view text, boost::beast::string_view value,
                       error_code& ec) override {
      owner_.on_field(name, view(text), view(value), ec);
    }
    void on_header_impl(error_code& ec) override { owner_.on_header(ec); }
    // Bodies are read elsewhere.
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(boost::beast::string_view, error_code&) override { return 0; }
    std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view, error_code&) override {
      return 0;
    }
    void on_chunk_header_impl(std::uint64_t, boost::beast::string_view, error_code&) override {}
    void on_response_impl(int, boost::beast::string_view, int, error_code&) override {}
    void on_finish_impl(error_code&) override {}

    Implementation& owner_;
  };

  explicit Implementation(const Limits& given)
      : limits(given), body({given.all_bodies, given.make_room, given.ask_others}) {
    reset();
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  void start_parser() {
    parser.emplace(*this);
    parser->header_limit(static_cast<std::uint32_t>(limits.head_bytes));
    parser->body_limit(limits.body_bytes);
  }

  void reset() {
    start_parser();
    head.method = head.target = head.path = head.query = {};
    head.fields.clear();
    head.expects_continue = false;
    body.clear();
    chunks.reset();
    body_left = 0;
    body_bytes = 0;
    hosts = 0;
    head_bytes = 0;
    head_counted = discards = head_done = false;
    authorization_seen = content_type_seen = length_seen = false;
    status = 0;
    why.clear();
  }

  void refuse(int code, std::string sentence, error_code& ec) {
    status = code;
    why = std::move(sentence);
    ec = beast::error::bad_value;
  }

  void on_request(std::string_view method, std::string_view target, int version, error_code& ec) {
    head.method = method;
    head.target = target;
    head.minor_version = version - 10;
    if (!split_target(head)) refuse(400, "The request target is not a path.", ec);
  }

  void on_field(beast::field name, std::string_view text, std::string_view value, error_code& ec) {
    if (!is_one_line(text)) {
      return refuse(400, "Header values must not be folded over several lines, nor hold CR or LF.", ec);
    }
    if (head.fields.size() == most_fields) return refuse(431, "The request has too many header fields.", ec);
    if (name == beast::field::host) {
      ++hosts;
      if (!is_host(value)) return refuse(400, "The Host header names no host.", ec);
    } else if (name == beast::field::authorization || name == beast::field::content_type) {
      // Each server on the way would decide for itself which of two headers counts.
      bool& seen = name == beast::field::authorization ? authorization_seen : content_type_seen;
      if (std::exchange(seen, true)) {
        return refuse(400, "The request has more than one " + std::string(text) + " header.", ec);
      }
    } else if (name == beast::field::content_length) {
      // "3, 3" and two equal fields may be taken for one (RFC 9110, section 8.6), or refused.
      if (value.find(',') != std::string_view::npos || std::exchange(length_seen, true)) {
        return refuse(400, "The request has more than one Content-Length.", ec);
      }
    } else if (name == beast::field::transfer_encoding) {
      if (head.minor_version == 0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding.", ec);
      if (!equals_ignoring_case(trim(value), "chunked")) {
        return refuse(501, "The only transfer coding understood is chunked.", ec);
      }
    } else if (name == beast::field::expect && head.minor_version == 1) {
      if (!equals_ignoring_case(value, "100-continue")) {
        return refuse(417, "The only expectation understood is 100-continue.", ec);
      }
      head.expects_continue = true;
    }
    head.fields.push_back({text, value});
  }

  /// Returns whether the line of the field `name`, which lies in `fed`, ends the field's value. Beast reads a
  /// line that begins with a space as more of the value, which RFC 9112, section 5.2 lets us refuse, and
  /// skips some line ends between the colon and the value. The whole head is in `fed` when Beast reports
  /// fields.
  bool is_one_line(std::string_view name) const {
    const std::string_view rest =
        fed.substr(static_cast<std::size_t>(name.data() - fed.data()) + name.size());
    const auto end = rest.find('\r');
    if (!rest.starts_with(':') || end == std::string_view::npos || end + 2 >= rest.size()) return false;
    if (rest[end + 1] != '\n' || rest.substr(0, end).find('\n') != std::string_view::npos) return false;
    return rest[end + 2] != ' ' && rest[end + 2] != '\t';
  }

  void on_header(error_code& ec) {
    head_done = true;
    // RFC 9112, section 3.2.
    if (hosts > 1 || (hosts == 0 && head.minor_version == 1)) {
      refuse(400, "The request needs exactly one Host header.", ec);
    }
  }

  /// Reads the body of a request whose head is complete. Beast's reader of chunks has assertions that a
  /// sender can make fail.
  Progress feed_body(std::string_view bytes, std::size_t& consumed) {
    if (!chunks) {
      const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(body_left, bytes.size()));
      consumed += used;
      if (!keep(bytes.substr(0, used))) return Progress::failed;
      body_left -= used;
      return body_left == 0 ? Progress::complete : Progress::more;
    }
    while (true) {
      std::size_t used = 0;
      std::string_view piece;
      const ChunkedBody::Step step = chunks->next(bytes, used, piece);
      consumed += used;
      bytes.remove_prefix(used);
      if (step == ChunkedBody::Step::failed) {
        status = 400;
        why = "This is not a well-formed HTTP request: " + std::string(chunks->why()) + ".";
        return Progress::failed;
      }
      // The announced length counts: a body that is too large is refused before it is sent.
      body_bytes += piece.size();
      if (body_bytes + chunks->announced() > limits.body_bytes) return body_too_large();
      if (!keep(piece)) return Progress::failed;
      if (step == ChunkedBody::Step::more) return Progress::more;
      if (step == ChunkedBody::Step::complete) return Progress::complete;
    }
  }

  /// Appends a piece to the body. False: the body is refused, because there is no room for it.
  bool keep(std::string_view piece) {
    if (discards) return true;
    if (body.keep(piece)) return true;
    status = 503;
    why = body.why();
    return false;
  }

  Progress fail(const error_code& ec) {
    if (status != 0) return Progress::failed;
    if (ec == beast::error::header_limit) {
      return head_too_large();
    }
    if (ec == beast::error::body_limit) return body_too_large();
    if (ec == beast::error::bad_version) {
      status = 505;
      why = "HTTP/1.1 and HTTP/1.0 are spoken here.";
    } else {
      status = 400;
      why = "This is not a well-formed HTTP request: " + ec.message() + ".";
    }
    return Progress::failed;
  }

  Progress body_too_large() {
    status = 413;
    why = "The body is larger than " + std::to_string(limits.body_bytes) + " bytes.";
    return Progress::failed;
  }

  Progress head_too_large() {
    const bool in_request_line = head.method.empty();
    status = in_request_line ? 414 : 431;
    why = (in_request_line ? "The request line is" : "The request's headers are") +
          std::string(" longer than ") + std::to_string(limits.head_bytes) + " bytes.";
    return Progress::failed;
  }

  Progress feed(std::string_view bytes, std::size_t& consumed) {
    consumed = 0;
    if (head_counted) return feed_body(bytes, consumed);
    while (!bytes.empty()) {
      fed = bytes;
      error_code ec;
      const std::size_t used = parser->put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
      consumed += used;
      bytes.remove_prefix(used);
      head_bytes += used;
      if (ec && ec != beast::error::need_more) return fail(ec);
      if (head_bytes + (head_done ? 0 : bytes.size()) > limits.head_bytes) return head_too_large();
      if (head_done) return begin_body();
      if (ec == beast::error::need_more) {
        // Once it has asked for more, Beast judges nothing before the whole head is there. A line that no
        // request begins with is refused at once, however the network cuts it.
        if (head.method.empty()) start_parser();
        break;
      }
    }
    return Progress::more;
  }

  Progress begin_body() {
    head_counted = true;
    head.keep_alive = parser->keep_alive();
    if (parser->chunked()) {
      chunks.emplace();
      return Progress::head;
    }
    body_left = parser->content_length().value_or(0);
    if (body_left == 0) return Progress::complete;
    if (!discards) body.expect(body_left);
    return Progress::head;
  }

  Limits limits;
  std::optional<Parser> parser;
  std::optional<ChunkedBody> chunks;
  std::uint64_t body_left = 0;   ///< bytes left of a body with Content-Length
  std::uint64_t body_bytes = 0;  ///< bytes received in chunks
  RequestHead head;
  RequestBody body;
  std::string_view fed;
  std::size_t head_bytes = 0;
  bool head_counted = false;
  int hosts = 0;
  bool head_done = false;
  bool authorization_seen = false, content_type_seen = false, length_seen = false;
  bool discards = false;
  int status = 0;
  std::string why;
};

RequestParser::RequestParser(const Limits& limits)
    : implementation_(std::make_unique<Implementation>(limits)) {}
RequestParser::~RequestParser() = default;

void RequestParser::charge(const AddressKey& address) {
  implementation_->body.charge(address);
}

void RequestParser::reset() {
  implementation_->reset();
}

RequestParser::Progress RequestParser::feed(std::string_view bytes, std::size_t& consumed) {
  return implementation_->feed(bytes, consumed);
}

void RequestParser::discard_body() {
  implementation_->discards = true;
}
std::uint64_t RequestParser::announced() const {
  return implementation_->chunks ? std::numeric_limits<std::uint64_t>::max() : implementation_->body_left;
}
const RequestHead& RequestParser::head() const {
  return implementation_->head;
}
std::string_view RequestParser::body() const {
  return implementation_->body.bytes();
}
int RequestParser::status() const {
  return implementation_->status;
}
std::string_view RequestParser::why() const {
  return implementation_->why;
}

}  // namespace fairway::http
