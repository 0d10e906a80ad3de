// SPDX-License-Identifier: Apache-2.0

// A request for a certificate, as text and as the bytes within it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "http/certificate_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)fairway::http::read_certificate_request(bytes);
  constexpr std::size_t line = 64;
  const std::string encoded = fairway::base64_encode(bytes);
  std::string pem = "-----BEGIN CERTIFICATE REQUEST-----\n";
  for (std::size_t at = 0; at < encoded.size(); at += line) pem += encoded.substr(at, line) + "\n";
  (void)fairway::http::read_certificate_request(pem + "-----END CERTIFICATE REQUEST-----\n");
  return 0;
}
