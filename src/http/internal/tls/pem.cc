// SPDX-License-Identifier: Apache-2.0

#include "http/internal/tls/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>

namespace fairway::http {
namespace {

Owned<BIO> reader_of(std::string_view text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), [](BIO* bio) { BIO_free_all(bio); }};
}

int no_password(char*, int, int, void*) {
  return 0;
}

}  // namespace

std::string openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  const char* text = code != 0 ? ERR_reason_error_string(code) : nullptr;
  std::string reason = text != nullptr ? text : "unknown error";
  ERR_clear_error();
  return reason;
}

Result<std::vector<Owned<X509>>> parse_certificates(std::string_view pem) {
  const Owned<BIO> reader = reader_of(pem);
  std::vector<Owned<X509>> certificates;
  ERR_clear_error();
  while (X509* next = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next, X509_free);
  }
  // Reading ends with "no start line" when there is nothing more; anything else is a broken certificate.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
    return fail(ErrorCode::invalid, openssl_error());
  ERR_clear_error();
  if (certificates.empty())
    return fail(ErrorCode::invalid, "there is no \"-----BEGIN CERTIFICATE-----\" block in it");
  return certificates;
}

Result<Owned<EVP_PKEY>> parse_private_key(std::string_view pem) {
  const Owned<BIO> reader = reader_of(pem);
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(reader.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  if (key) return key;
  ERR_clear_error();
  return fail(ErrorCode::invalid, "there is no PEM private key without a password in it");
}

}  // namespace fairway::http
