// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/peers/peer_token.h"

#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace fairway::updateservice {
namespace {

constexpr std::size_t max_token_file = 4096, min_token = 16;

}  // namespace

Result<std::string> read_peer_token(const std::string& file) {
  const auto text = read_file(file, max_token_file);
  if (!text) return fail(text.error().within("reading the token of the replicas"));
  std::string token(trim(*text));
  if (token.size() < min_token) {
    return fail(ErrorCode::invalid, "reading the token of the replicas: " + file + " has fewer than " +
                                        std::to_string(min_token) +
                                        " characters; make one with: openssl rand -hex 32");
  }
  return token;
}

http::SharedKey key_of_peers(std::string token_file) {
  return [file = std::move(token_file)] { return read_peer_token(file); };
}

}  // namespace fairway::updateservice
