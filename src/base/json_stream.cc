// SPDX-License-Identifier: Apache-2.0

// Compiled alone: in a larger file g++ inlines less of the parser.
#include "base/json_stream.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <optional>
#include <utility>

#include "base/internal/json_builder.h"
#include "base/internal/json_stream_parser.h"

namespace fairway::json {

namespace {

using ErrorOf = boost::system::error_code;

constexpr std::string_view white_space = " \t\r\n";

/// `offset` is the end of the number.
std::unexpected<Error> refused_number(std::size_t offset, const std::string& why) {
  return fail(ErrorCode::invalid, "byte " + std::to_string(offset) + ": " + why);
}

}  // namespace

struct StreamReader::Implementation {
  std::size_t max_value_bytes;
  OnValue on_value;
  boost::json::basic_parser<Builder> parser{stream_options()};
  std::size_t offset = 0;          // of the stream
  std::size_t bytes_of_value = 0;  // 0: between two values
  std::optional<Error> failed;

  Result<void> feed(std::string_view piece) {
    while (true) {
      if (bytes_of_value == 0) {
        const std::size_t begin = std::min(piece.find_first_not_of(white_space), piece.size());
        offset += begin;
        piece.remove_prefix(begin);
      }
      if (piece.empty()) return {};
      ErrorOf error;
      const std::size_t used = parser.write_some(true, piece.data(), piece.size(), error);
      if (const std::string& why = parser.handler().refused; !why.empty())
        return refused_number(offset + used, why);
      if (error) return not_json(offset + used, error);
      piece.remove_prefix(used);
      offset += used;
      bytes_of_value += used;
      if (bytes_of_value > max_value_bytes) {
        return fail(ErrorCode::too_large, "a value of the stream is larger than the " +
                                              std::to_string(max_value_bytes) + " bytes allowed");
      }
      if (!parser.done()) continue;
      Value value = parser.handler().stack.release();
      parser.handler().stack.reset();
      parser.reset();
      bytes_of_value = 0;
      if (auto taken = on_value(std::move(value)); !taken) return taken;
    }
  }
};

StreamReader::StreamReader(std::size_t max_value_bytes, OnValue on_value)
    : implementation_(std::make_unique<Implementation>(max_value_bytes, std::move(on_value))) {}
StreamReader::~StreamReader() = default;

Result<void> StreamReader::feed(std::string_view piece) {
  auto& failed = implementation_->failed;
  if (failed) return fail(*failed);
  auto result = implementation_->feed(piece);
  if (!result) failed = result.error();
  return result;
}

Result<void> StreamReader::finish() {
  if (implementation_->failed) return fail(*implementation_->failed);
  if (implementation_->bytes_of_value == 0) return {};
  return fail(ErrorCode::unavailable, "the stream ends in the middle of a value");
}

}  // namespace fairway::json
