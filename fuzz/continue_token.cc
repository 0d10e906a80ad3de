// SPDX-License-Identifier: Apache-2.0

// Continue tokens of lists, and subjects of client certificates: whatever a client sends is read or refused,
// and what was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/internal/access/client_certificate.h"
#include "apiserver/internal/rest/continue_token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fairway::apiserver::rest::ContinueToken;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto token = ContinueToken::parse(text)) {
    const auto again = ContinueToken::parse(token->to_string());
    if (!again || *again != *token) std::abort();
  }
  const ContinueToken of_text{.revision = 1, .after = std::string(text)};
  if (!text.empty()) (void)ContinueToken::parse(of_text.to_string());
  const auto user = fairway::apiserver::access::user_of_subject(text);
  if (user && user->name.empty()) std::abort();
  return 0;
}
