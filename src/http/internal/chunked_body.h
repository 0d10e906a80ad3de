// SPDX-License-Identifier: Apache-2.0

// The chunked transfer coding (RFC 9112, section 7.1), read byte by byte in whatever pieces it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fairway::http {

/// A strict parser: lines end with CR LF, and have visible characters, spaces and tabs only; a size has only
/// digits before its extension. The result does not depend on how the input was split.
class ChunkedBody {
 public:
  enum class Step {
    more,      ///< everything is used up
    piece,     ///< `piece` holds data; go on with the rest
    complete,  ///< the body and its trailers are read to their end
    failed     ///< see `why`
  };

  /// Reads on. `consumed` bytes were used; `piece` points into `bytes`.
  Step next(std::string_view bytes, std::size_t& consumed, std::string_view& piece);
  /// Bytes of data that the chunk whose size has been read still announces.
  std::uint64_t announced() const { return at_ == At::data ? left_ : 0; }
  /// The reason of the failure, for people, after `failed`.
  std::string_view why() const { return why_; }

 private:
  enum class At : std::uint8_t {
    size,
    extension,
    line_end,
    data,
    data_cr,
    data_lf,
    trailer_begin,
    trailer,
    trailer_lf,
    end_lf
  };

  Step fail(std::string_view why);

  At at_ = At::size;
  std::uint64_t left_ = 0;      ///< bytes left of the chunk's data
  std::size_t digits_ = 0;      ///< digits of the size
  std::size_t line_bytes_ = 0;  ///< bytes of the extension, or of all trailers
  std::string_view why_;
};

}  // namespace fairway::http
