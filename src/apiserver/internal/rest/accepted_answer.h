// SPDX-License-Identifier: Apache-2.0

// Answers in YAML and protobuf.
#pragma once

#include "http/message.h"

namespace fairway::apiserver::rest {

/// Turns an answer in JSON into YAML, with sorted keys, or into protobuf, if the request prefers that.
/// Streams, compressed answers and others than JSON stay as they are, and in place of protobuf also what is
/// no object of a built-in kind. `status_in_protobuf`: false for a Status that is never protobuf.
void turn_to_accepted(const http::Request& request, http::Response& response, bool status_in_protobuf);

}  // namespace fairway::apiserver::rest
