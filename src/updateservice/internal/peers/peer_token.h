// SPDX-License-Identifier: Apache-2.0

// The secret that the replicas of a service share. It proves who asks and who answers, and is never sent.
#pragma once

#include <string>

#include "base/result.h"
#include "http/shared_key.h"

namespace fairway::updateservice {

/// Reads a token, without white space around it. Errors name the file: it cannot be read, or its content is
/// shorter than 16 characters.
Result<std::string> read_peer_token(const std::string& file);

/// Returns the key that replicas know each other by: the token, read for each connection.
http::SharedKey key_of_peers(std::string token_file);

}  // namespace fairway::updateservice
