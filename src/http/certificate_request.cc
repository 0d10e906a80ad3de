// SPDX-License-Identifier: Apache-2.0

#include "http/certificate_request.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/text.h"
#include "http/internal/tls/pem.h"

namespace fairway::http {

namespace {

/// The texts of a name's entries of one type, as UTF-8.
std::vector<std::string> texts_of(const X509_NAME* name, int type) {
  std::vector<std::string> texts;
  for (int at = X509_NAME_get_index_by_NID(name, type, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, type, at)) {
    unsigned char* text = nullptr;
    const int length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (length < 0) continue;
    texts.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length));
    OPENSSL_free(text);
  }
  return texts;
}

/// Returns whether a text is one block and nothing else. Readers differ in which of two blocks they read, and
/// in what counts as a block: the checker and the signer of a request must not read different ones.
bool is_one_block(std::string_view pem) {
  constexpr std::string_view begin = "-----BEGIN CERTIFICATE REQUEST-----\n",
                             end = "-----END CERTIFICATE REQUEST-----";
  pem = trim(pem);
  if (!pem.starts_with(begin) || !pem.ends_with(end)) return false;
  pem.remove_prefix(begin.size());
  pem.remove_suffix(end.size());
  return std::ranges::all_of(pem, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=' || c == '\n';
  });
}

}  // namespace

Result<CertificateRequest> read_certificate_request(std::string_view pem) {
  if (pem.size() > std::numeric_limits<int>::max())
    return fail(ErrorCode::invalid, "the certificate request is too large");
  std::string text_of_lines(pem);
  std::erase(text_of_lines, '\r');
  if (!is_one_block(text_of_lines))
    return fail(ErrorCode::invalid, "PEM block type must be CERTIFICATE REQUEST");
  const Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free_all);
  const Owned<X509_REQ> request(text ? PEM_read_bio_X509_REQ(text.get(), nullptr, nullptr, nullptr) : nullptr,
                                X509_REQ_free);
  ERR_clear_error();
  if (!request) return fail(ErrorCode::invalid, "PEM block type must be CERTIFICATE REQUEST");
  EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
  const bool is_signed = key != nullptr && X509_REQ_verify(request.get(), key) == 1;
  ERR_clear_error();
  if (!is_signed) return fail(ErrorCode::invalid, "the certificate request is not signed by its own key");
  const X509_NAME* subject = X509_REQ_get_subject_name(request.get());
  CertificateRequest read{.organizations = texts_of(subject, NID_organizationName)};
  // As Go does: the last one counts.
  if (auto names = texts_of(subject, NID_commonName); !names.empty()) read.common_name = names.back();
  return read;
}

}  // namespace fairway::http
