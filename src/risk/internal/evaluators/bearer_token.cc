// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/evaluators/bearer_token.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace fairway::risk {

Result<std::string> read_bearer_token(const std::string& file) {
  constexpr std::size_t largest = 64 << 10;
  const auto text = read_file(file, largest);
  if (!text) return fail(text.error().within("reading the bearer token"));
  const std::string_view token = trim(*text);
  const bool clean = std::ranges::all_of(token, [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f;
  });
  if (token.empty() || !clean)
    return fail(ErrorCode::invalid, "reading the bearer token: " + file + " holds no token");
  return std::string(token);
}

}  // namespace fairway::risk
