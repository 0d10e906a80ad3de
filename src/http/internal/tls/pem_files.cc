// SPDX-License-Identifier: Apache-2.0

#include "http/internal/tls/pem_files.h"

#include <utility>

#include "base/file.h"

namespace fairway::http {

Result<PemPair> read_pem_pair(const std::string& certificate_file, const std::string& key_file,
                              std::string_view whose) {
  constexpr std::size_t most_bytes = 1 << 20;
  const std::string doing = "loading the " + std::string(whose);
  auto certificate = read_file(certificate_file, most_bytes);
  if (!certificate) return fail(certificate.error().within(doing + " certificate"));
  auto key = read_file(key_file, most_bytes);
  if (!key) return fail(key.error().within(doing + " key"));
  return PemPair{std::move(*certificate), std::move(*key)};
}

}  // namespace fairway::http
