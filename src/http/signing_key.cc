// SPDX-License-Identifier: Apache-2.0

#include "http/signing_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

#include "http/internal/tls/pem.h"

namespace fairway::http {
namespace {

constexpr int number_size = 32;  ///< bytes of a number of P-256

void free_bio(BIO* bio) {
  BIO_free_all(bio);
}
void free_bytes(unsigned char* bytes) {
  OPENSSL_free(bytes);
}

Owned<BIO> reading(std::string_view text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), free_bio};
}

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  return EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size(),
                                        nullptr) == 1 &&
         std::string_view(group.data()) == "prime256v1";
}

std::unexpected<Error> no_key(std::string_view what) {
  return fail(ErrorCode::invalid, "reading " + std::string(what) + ": it is no PEM key of ECDSA P-256");
}

/// Reads a private key of P-256; nullptr if it is none.
Owned<EVP_PKEY> read_private(std::string_view pem) {
  auto key = parse_private_key(pem);
  if (!key || !is_p256(key->get())) return {nullptr, EVP_PKEY_free};
  return std::move(*key);
}

Owned<EVP_PKEY> read_either(std::string_view pem) {
  if (auto key = read_private(pem)) return key;
  const auto text = reading(pem);
  Owned<EVP_PKEY> key(PEM_read_bio_PUBKEY(text.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  if (key && !is_p256(key.get())) key.reset();
  return key;
}

template <class Write>
Result<std::string> written(Write write) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()), free_bio);
  if (!out || write(out.get()) != 1) {
    return fail(ErrorCode::internal, "writing a key: " + openssl_error());
  }
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::string number(const BIGNUM* value) {
  std::string bytes(number_size, '\0');
  if (BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), number_size) != number_size)
    return {};
  return bytes;
}

Result<std::string> coordinate(const EVP_PKEY* key, const char* name) {
  BIGNUM* value = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &value) != 1) {
    return fail(ErrorCode::internal, "reading a key's point: " + openssl_error());
  }
  const Owned<BIGNUM> owned(value, BN_free);
  return number(value);
}

}  // namespace

Result<std::string> make_signing_key() {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  if (!key) return fail(ErrorCode::internal, "making a signing key: " + openssl_error());
  return written([&](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Result<std::string> public_key_of(std::string_view private_key) {
  const auto key = read_private(private_key);
  if (!key) return no_key("a signing key");
  return written([&](BIO* out) { return PEM_write_bio_PUBKEY(out, key.get()); });
}

Result<std::string> sign_es256(std::string_view private_key, std::string_view bytes) {
  const auto key = read_private(private_key);
  if (!key) return no_key("a signing key");
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::array<unsigned char, 80> der{};
  std::size_t size = der.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), der.data(), &size, data, bytes.size()) != 1) {
    return fail(ErrorCode::internal, "signing: " + openssl_error());
  }
  const unsigned char* at = der.data();
  const Owned<ECDSA_SIG> signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)), ECDSA_SIG_free);
  if (!signature) return fail(ErrorCode::internal, "signing: " + openssl_error());
  return number(ECDSA_SIG_get0_r(signature.get())) + number(ECDSA_SIG_get0_s(signature.get()));
}

bool verify_es256(std::string_view key_text, std::string_view bytes, std::string_view signature) {
  if (signature.size() != 2 * number_size) return false;
  const auto key = read_either(key_text);
  if (!key) return false;
  const auto* numbers = reinterpret_cast<const unsigned char*>(signature.data());
  const Owned<ECDSA_SIG> parts(ECDSA_SIG_new(), ECDSA_SIG_free);
  Owned<BIGNUM> r(BN_bin2bn(numbers, number_size, nullptr), BN_free);
  Owned<BIGNUM> s(BN_bin2bn(numbers + number_size, number_size, nullptr), BN_free);
  if (!parts || !r || !s || ECDSA_SIG_set0(parts.get(), r.get(), s.get()) != 1) return false;
  // They belong to `parts` now.
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(parts.get(), &encoded);
  if (size <= 0) return false;
  const Owned<unsigned char> der(encoded, free_bytes);
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  return context && EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), encoded, static_cast<std::size_t>(size), data, bytes.size()) == 1;
}

Result<PublicKeyParts> public_key_parts(std::string_view key_text) {
  const auto key = read_either(key_text);
  if (!key) return no_key("a key");
  auto x = coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_X);
  if (!x) return fail(std::move(x.error()));
  auto y = coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y);
  if (!y) return fail(std::move(y.error()));
  unsigned char* encoded = nullptr;
  const int size = i2d_PUBKEY(key.get(), &encoded);
  if (size <= 0) return fail(ErrorCode::internal, "writing a key: " + openssl_error());
  const Owned<unsigned char> der(encoded, free_bytes);
  return PublicKeyParts{.x = std::move(*x),
                        .y = std::move(*y),
                        .der = std::string(reinterpret_cast<char*>(encoded), static_cast<std::size_t>(size))};
}

}  // namespace fairway::http
