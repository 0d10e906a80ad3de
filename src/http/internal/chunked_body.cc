// SPDX-License-Identifier: Apache-2.0

#include "http/internal/chunked_body.h"

#include <algorithm>

#include "base/hex.h"

namespace fairway::http {
namespace {

/// Sizes of at most 60 bits cannot overflow.
constexpr std::size_t most_digits = 15;
/// Limits on chunk extensions, which are ignored, and on trailers, which are skipped.
constexpr std::size_t most_extension_bytes = 1024, most_trailer_bytes = 16 * 1024;

bool may_stand_in_line(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}

}  // namespace

ChunkedBody::Step ChunkedBody::fail(std::string_view why) {
  why_ = why;
  return Step::failed;
}

ChunkedBody::Step ChunkedBody::next(std::string_view bytes, std::size_t& consumed, std::string_view& piece) {
  consumed = 0;
  while (consumed < bytes.size()) {
    if (at_ == At::data) {
      piece = bytes.substr(consumed,
                           static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - consumed)));
      consumed += piece.size();
      left_ -= piece.size();
      if (left_ == 0) at_ = At::data_cr;
      return Step::piece;
    }
    const char c = bytes[consumed++];
    switch (at_) {
      case At::size:
        if (const int digit = hex_value(c); digit >= 0) {
          if (++digits_ > most_digits) return fail("a chunk's size has too many digits");
          left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
          break;
        }
        if (digits_ == 0) return fail("a chunk does not begin with its size");
        if (c == '\r') {
          at_ = At::line_end;
        } else if (c == ';' || c == ' ' || c == '\t') {
          at_ = At::extension;
          line_bytes_ = 0;
        } else {
          return fail("a chunk's size is no hexadecimal number");
        }
        break;
      case At::extension:
        if (c == '\r') {
          at_ = At::line_end;
        } else if (!may_stand_in_line(c)) {
          return fail("a control character stands in a chunk's extension");
        } else if (++line_bytes_ > most_extension_bytes) {
          return fail("a chunk's extension is too long");
        }
        break;
      case At::line_end:
        if (c != '\n') return fail("the line of a chunk's size does not end with CR LF");
        digits_ = line_bytes_ = 0;
        at_ = left_ == 0 ? At::trailer_begin : At::data;
        break;
      case At::data:
        break;  // dealt with above
      case At::data_cr:
        if (c != '\r') return fail("a chunk is longer than its size");
        at_ = At::data_lf;
        break;
      case At::data_lf:
        if (c != '\n') return fail("a chunk does not end with CR LF");
        at_ = At::size;
        break;
      case At::trailer_begin:
        if (c == '\r') {
          at_ = At::end_lf;
          break;
        }
        at_ = At::trailer;
        [[fallthrough]];
      case At::trailer:
        if (c == '\r') {
          at_ = At::trailer_lf;
        } else if (!may_stand_in_line(c)) {
          return fail("a control character stands in a trailer");
        } else if (++line_bytes_ > most_trailer_bytes) {
          return fail("the trailers are too long");
        }
        break;
      case At::trailer_lf:
        if (c != '\n') return fail("a trailer does not end with CR LF");
        at_ = At::trailer_begin;
        break;
      case At::end_lf:
        if (c != '\n') return fail("the body does not end with CR LF");
        return Step::complete;
    }
  }
  return Step::more;
}

}  // namespace fairway::http
