// SPDX-License-Identifier: Apache-2.0

// Headers that say who somebody is: tokens and Impersonate-*. Nobody gets in by any bytes.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/impersonation.h"
#include "apiserver/internal/access/service_account_token.h"
#include "base/text.h"
#include "http/signing_key.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway::apiserver::access;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // Its key is another one in each run: no input is signed by it.
  static const TokenSigner signer =
      TokenSigner::of(fairway::http::make_signing_key().value(), "https://issuer.example").value();
  if (signer.verify(input, {"https://issuer.example"},
                    fairway::WallTime(std::chrono::seconds(1'800'000'000)))) {
    std::abort();
  }
  std::vector<fairway::http::Field> fields;
  bool any = false;
  for (const std::string_view line : fairway::split(input, '\n')) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    fields.push_back({line.substr(0, colon), line.substr(std::min(colon + 1, line.size()))});
    any |= fairway::to_lower(fields.back().name).starts_with("impersonate-");
  }
  const auto wanted = impersonated_user(fields);
  // What is there is obeyed or refused.
  if (wanted && wanted->has_value() != any) std::abort();
  if (!wanted || !*wanted) return 0;
  const auto nothing = [](const User&, const Attributes&) { return Decision{}; };
  const auto all = [](const User&, const Attributes&) { return Decision{.allowed = true}; };
  const Attributes request{.verb = "get", .is_resource = true, .resource = "pods"};
  if (impersonate({.name = "a"}, **wanted, request, nothing)) std::abort();
  const auto made = impersonate({.name = "a"}, **wanted, request, all);
  if (!made || made->user.name != (*wanted)->name) std::abort();
  return 0;
}
