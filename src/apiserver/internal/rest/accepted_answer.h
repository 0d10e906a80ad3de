// SPDX-License-Identifier: Apache-2.0

// Answers in YAML and protobuf.
#pragma once

#include <cstdint>

#include "http/message.h"

namespace fairway::apiserver::rest {

/// Answers of which there is protobuf.
enum class ProtobufOf : std::uint8_t {
  nothing,
  metadata,  ///< PartialObjectMetadata and its lists
  objects    ///< objects of built-in kinds as well
};

/// Turns an answer in JSON into YAML, with sorted keys, or into protobuf, if the request prefers that.
/// Streams, compressed answers and others than JSON stay as they are. An error is a Status, whatever the
/// objects were asked for as.
void turn_to_accepted(const http::Request& request, http::Response& response, ProtobufOf protobuf_of);

}  // namespace fairway::apiserver::rest
