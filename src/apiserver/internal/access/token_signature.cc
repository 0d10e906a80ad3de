// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/token_signature.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/digest.h"
#include "base/hex.h"

namespace fairway::apiserver::access {
namespace {

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::unauthenticated, "the token " + std::move(why));
}

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(hex_value(digits[at]) * 16 + hex_value(digits[at + 1]));
  }
  return bytes;
}

}  // namespace

std::string key_id(const http::VerifyingKey& key) {
  return base64url_encode(bytes_of_hex(sha256_hex(key.der)));
}

json::Value web_key(const http::VerifyingKey& key) {
  json::Object made{{"use", "sig"}, {"kid", key_id(key)}, {"alg", key.algorithm}};
  if (key.curve.empty()) {
    made["kty"] = "RSA";
    made["n"] = base64url_encode(key.modulus);
    made["e"] = base64url_encode(key.exponent);
  } else {
    made["kty"] = "EC";
    made["crv"] = key.curve;
    made["x"] = base64url_encode(key.x);
    made["y"] = base64url_encode(key.y);
  }
  return made;
}

Result<void> check_signature(const std::vector<http::VerifyingKey>& keys, std::string_view signed_part,
                             std::size_t head_size, std::string_view signature) {
  const auto text = base64url_decode(signed_part.substr(0, head_size));
  if (!text) return refuse("is no JSON Web Token");
  const auto head = json::parse(*text);
  if (!head || !head->is_object()) return refuse("is no JSON Web Token");
  // An extension that has to be understood (RFC 7515, 4.1.11).
  if (json::find(*head, "crit") != nullptr) return refuse("needs extensions that are not known here");
  const auto algorithm = json::find_string(*head, "alg");
  const auto named = json::find_string(*head, "kid");
  const bool is_known = named && std::ranges::any_of(keys, [&](const http::VerifyingKey& key) {
                          return key_id(key) == *named;
                        });
  for (const http::VerifyingKey& key : keys) {
    if (algorithm != key.algorithm || (is_known && key_id(key) != *named)) continue;
    if (http::verify(key, signed_part, signature)) return {};
    if (is_known) return refuse("has a wrong signature");
  }
  return refuse("was not signed by a key of this server");
}

}  // namespace fairway::apiserver::access
