// SPDX-License-Identifier: Apache-2.0

#include "http/credentials.h"

#include "base/base64.h"
#include "base/text.h"

namespace fairway::http {

std::string basic_authorization(std::string_view userinfo) {
  return "Basic " + base64_encode(userinfo);
}

std::string basic_authorization(std::string_view username, std::string_view password) {
  return basic_authorization(std::string(username) + ":" + std::string(password));
}

std::optional<BasicCredentials> decode_basic(std::string_view text) {
  std::string padded(trim(text));
  while (padded.size() % 4 != 0) padded += '=';
  const auto decoded = base64_decode(padded);
  const auto colon = decoded ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos) return std::nullopt;
  return BasicCredentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

}  // namespace fairway::http
