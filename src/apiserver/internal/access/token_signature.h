// SPDX-License-Identifier: Apache-2.0

// The head and the signature of a JSON Web Token, and the keys that may have signed it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "http/signing_key.h"

namespace fairway::apiserver::access {

/// Returns the name of a key in heads and key sets, as kube-apiserver makes it: of its DER's SHA-256.
std::string key_id(const http::VerifyingKey& key);

/// Returns a key as a JSON Web Key (RFC 7517).
json::Value web_key(const http::VerifyingKey& key);

/// Checks that one of the keys has signed. `signed_part` is the token up to its signature, whose first
/// `head_size` bytes are the head. The algorithm is the key's, and the head has to name it. If the head names
/// one of the keys, only that one may have signed. Errors (`unauthenticated`) say what is wrong.
Result<void> check_signature(const std::vector<http::VerifyingKey>& keys, std::string_view signed_part,
                             std::size_t head_size, std::string_view signature);

}  // namespace fairway::apiserver::access
