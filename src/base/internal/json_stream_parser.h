// SPDX-License-Identifier: Apache-2.0

// Options and errors of Boost.JSON's parser, for the readers of streams of JSON.
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/parse_options.hpp>
#include <cstddef>
#include <expected>
#include <string>

#include "base/result.h"

namespace fairway::json {

/// Returns options with the depth limit of `parse`, below the values that wrap the objects.
inline boost::json::parse_options stream_options() {
  boost::json::parse_options result;
  result.max_depth = 512 + 2;
  return result;
}

/// `offset` is the byte that the parser refused, from 0 on.
inline std::unexpected<Error> not_json(std::size_t offset, const boost::system::error_code& error) {
  return fail(ErrorCode::invalid, "not JSON: byte " + std::to_string(offset + 1) + ": " + error.message());
}

}  // namespace fairway::json
