// SPDX-License-Identifier: Apache-2.0

// Answers in YAML.
#pragma once

#include "http/message.h"

namespace fairway::apiserver::rest {

/// Turns an answer in JSON into YAML, with sorted keys, if the request prefers that. Streams, compressed
/// answers and others than JSON stay as they are.
void turn_to_yaml(const http::Request& request, http::Response& response);

}  // namespace fairway::apiserver::rest
