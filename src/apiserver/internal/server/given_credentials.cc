// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/server/given_credentials.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/file.h"
#include "http/certificate.h"
#include "http/signing_key.h"

namespace fairway::apiserver::server {
namespace {

/// Most bytes of a file of certificates or keys.
constexpr std::size_t most_bytes = std::size_t{4} << 20;

Result<std::string> read_text(const std::filesystem::path& file) {
  return read_file(file, most_bytes);
}

}  // namespace

Result<GivenCredentials> read_given_credentials(const std::filesystem::path& client_ca_file,
                                                const std::filesystem::path& certificate_file,
                                                const std::filesystem::path& key_file) {
  GivenCredentials given;
  if (!client_ca_file.empty()) {
    auto text = read_text(client_ca_file);
    if (!text) return fail(text.error().within("the CAs of clients"));
    auto certificates = http::certificates_alone(*text, client_ca_file.string());
    if (!certificates) return fail(certificates.error().within("the CAs of clients"));
    given.client_authorities = *std::move(certificates);
  }
  if (certificate_file.empty() != key_file.empty()) {
    return fail(
        ErrorCode::invalid,
        "the certificate to serve with needs a file of its own and one of its key: name both, or none");
  }
  if (certificate_file.empty()) return given;
  const auto certificate = read_text(certificate_file);
  if (!certificate) return fail(certificate.error().within("the certificate to serve with"));
  const auto key = read_text(key_file);
  if (!key) return fail(key.error().within("the key to serve with"));
  const auto fits = http::check_key({.certificate = *certificate, .key = *key}, certificate_file.string());
  if (!fits) return fail(fits.error().within("the certificate to serve with"));
  auto alone = http::certificates_alone(*certificate, certificate_file.string());
  if (!alone) return fail(alone.error().within("the certificate to serve with"));
  given.certificate = *std::move(alone);
  return given;
}

Result<access::TokenSettings> read_token_settings(const std::filesystem::path& signing_key_file,
                                                  const std::vector<std::filesystem::path>& key_files) {
  access::TokenSettings settings;
  if (!signing_key_file.empty()) {
    auto text = read_text(signing_key_file);
    if (!text) return fail(text.error().within("the key that signs tokens"));
    // What only verifies, a certificate or a public key, is found here, where the file's name is known.
    if (const auto tried = http::sign(*text, "a token"); !tried) {
      return fail(tried.error().within("the key that signs tokens, " + signing_key_file.string()));
    }
    settings.private_key = *std::move(text);
  }
  for (const std::filesystem::path& file : key_files) {
    const auto text = read_text(file);
    if (!text) return fail(text.error().within("the keys that verify tokens"));
    auto keys = http::read_verifying_keys(*text);
    if (!keys) return fail(keys.error().within("the keys that verify tokens, " + file.string()));
    std::ranges::move(*keys, std::back_inserter(settings.verifying));
  }
  return settings;
}

}  // namespace fairway::apiserver::server
