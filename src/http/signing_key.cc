// SPDX-License-Identifier: Apache-2.0

#include "http/signing_key.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "http/internal/tls/ecdsa_signature.h"
#include "http/internal/tls/pem.h"
#include "http/internal/tls/signature_algorithm.h"

namespace fairway::http {
namespace {

Owned<EVP_PKEY> read_public(std::string_view pem) {
  const Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                        [](BIO* bio) { BIO_free_all(bio); });
  return {PEM_read_bio_PUBKEY(text.get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::unexpected<Error> signing_failed() {
  return fail(ErrorCode::internal, "signing: " + openssl_error());
}

}  // namespace

Result<std::string> make_signing_key() {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Owned<BIO> out(BIO_new(BIO_s_mem()), [](BIO* bio) { BIO_free_all(bio); });
  if (!key || !out ||
      PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return fail(ErrorCode::internal, "making a signing key: " + openssl_error());
  }
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

Result<std::string> sign(std::string_view private_key, std::string_view bytes) {
  const auto key = parse_private_key(private_key);
  if (!key) return fail(key.error().within("reading a signing key"));
  const SignatureAlgorithm* algorithm = algorithm_of(key->get());
  if (algorithm == nullptr) return fail(unknown_algorithm("a signing key"));
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!context || EVP_DigestSignInit(context.get(), nullptr, algorithm->digest(), nullptr, key->get()) != 1) {
    return signing_failed();
  }
  std::size_t size = 0;
  if (EVP_DigestSign(context.get(), nullptr, &size, bytes_of(bytes), bytes.size()) != 1) {
    return signing_failed();
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes_of(bytes), bytes.size()) != 1) {
    return signing_failed();
  }
  signature.resize(size);
  if (algorithm->number_size == 0) return signature;
  auto numbers = ecdsa_numbers(signature, algorithm->number_size);
  return numbers ? Result<std::string>(*std::move(numbers)) : signing_failed();
}

bool verify(const VerifyingKey& key, std::string_view bytes, std::string_view signature) {
  const auto read = read_public(key.pem);
  const SignatureAlgorithm* algorithm = read ? algorithm_of(read.get()) : nullptr;
  if (algorithm == nullptr) return false;
  std::string encoded(signature);
  if (algorithm->number_size != 0) {
    auto der = ecdsa_der(signature, algorithm->number_size);
    if (!der) return false;
    encoded = *std::move(der);
  }
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool is_good =
      context &&
      EVP_DigestVerifyInit(context.get(), nullptr, algorithm->digest(), nullptr, read.get()) == 1 &&
      EVP_DigestVerify(context.get(), bytes_of(encoded), encoded.size(), bytes_of(bytes), bytes.size()) == 1;
  // A refusal leaves an error that the next call of this thread would be blamed for.
  if (!is_good) static_cast<void>(openssl_error());
  return is_good;
}

}  // namespace fairway::http
