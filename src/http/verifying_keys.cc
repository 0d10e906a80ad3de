// SPDX-License-Identifier: Apache-2.0

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>

#include "http/internal/tls/pem.h"
#include "http/internal/tls/signature_algorithm.h"
#include "http/signing_key.h"

namespace fairway::http {
namespace {

/// A block of a PEM text.
struct Block {
  std::string name;
  std::string der;
};

std::vector<Block> blocks_of(std::string_view pem) {
  const Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                        [](BIO* bio) { BIO_free_all(bio); });
  std::vector<Block> blocks;
  char *name = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  while (PEM_read_bio(text.get(), &name, &header, &data, &size) == 1) {
    blocks.push_back(
        {.name = name, .der = std::string(reinterpret_cast<char*>(data), static_cast<std::size_t>(size))});
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(data);
  }
  ERR_clear_error();
  return blocks;
}

/// Returns the key of a block; null if it has none.
Owned<EVP_PKEY> key_of(const Block& block) {
  const auto* at = reinterpret_cast<const unsigned char*>(block.der.data());
  const auto size = static_cast<long>(block.der.size());
  if (block.name == PEM_STRING_X509) {
    const Owned<X509> certificate(d2i_X509(nullptr, &at, size), X509_free);
    return {certificate ? X509_get_pubkey(certificate.get()) : nullptr, EVP_PKEY_free};
  }
  if (block.name == PEM_STRING_PUBLIC) return {d2i_PUBKEY(nullptr, &at, size), EVP_PKEY_free};
  if (block.name == PEM_STRING_RSA_PUBLIC)
    return {d2i_PublicKey(EVP_PKEY_RSA, nullptr, &at, size), EVP_PKEY_free};
  return {d2i_AutoPrivateKey(nullptr, &at, size), EVP_PKEY_free};
}

bool has_key(const Block& block) {
  return block.name == PEM_STRING_X509 || block.name == PEM_STRING_PUBLIC ||
         block.name == PEM_STRING_RSA_PUBLIC || block.name == PEM_STRING_PKCS8INF ||
         block.name == PEM_STRING_RSA || block.name == PEM_STRING_ECPRIVATEKEY;
}

/// Returns a number of a key, with zeros before it up to `size`. Empty if the key has none.
std::string number_of(const EVP_PKEY* key, const char* name, std::size_t size) {
  BIGNUM* value = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &value) != 1) return {};
  const Owned<BIGNUM> owned(value, BN_free);
  std::string bytes(std::max(size, static_cast<std::size_t>(BN_num_bytes(value))), '\0');
  const int length = static_cast<int>(bytes.size());
  if (BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), length) != length) return {};
  return bytes;
}

Result<VerifyingKey> described(const EVP_PKEY* key) {
  const SignatureAlgorithm* algorithm = algorithm_of(key);
  if (algorithm == nullptr) return fail(unknown_algorithm("a key"));
  VerifyingKey made{.algorithm = std::string(algorithm->name), .curve = std::string(algorithm->curve)};
  if (algorithm->number_size != 0) {
    made.x = number_of(key, OSSL_PKEY_PARAM_EC_PUB_X, algorithm->number_size);
    made.y = number_of(key, OSSL_PKEY_PARAM_EC_PUB_Y, algorithm->number_size);
  } else {
    made.modulus = number_of(key, OSSL_PKEY_PARAM_RSA_N, 0);
    made.exponent = number_of(key, OSSL_PKEY_PARAM_RSA_E, 0);
  }
  unsigned char* encoded = nullptr;
  const int size = i2d_PUBKEY(key, &encoded);
  if (size <= 0) return fail(ErrorCode::internal, "writing a key: " + openssl_error());
  made.der.assign(reinterpret_cast<char*>(encoded), static_cast<std::size_t>(size));
  OPENSSL_free(encoded);
  const Owned<BIO> out(BIO_new(BIO_s_mem()), [](BIO* bio) { BIO_free_all(bio); });
  if (!out || PEM_write_bio_PUBKEY(out.get(), key) != 1) {
    return fail(ErrorCode::internal, "writing a key: " + openssl_error());
  }
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(out.get(), &bytes);
  made.pem.assign(bytes, static_cast<std::size_t>(length));
  return made;
}

}  // namespace

Result<std::vector<VerifyingKey>> read_verifying_keys(std::string_view pem) {
  std::vector<VerifyingKey> keys;
  for (const Block& block : blocks_of(pem)) {
    if (!has_key(block)) continue;
    const auto key = key_of(block);
    if (!key) return fail(ErrorCode::invalid, "reading a block " + block.name + ": " + openssl_error());
    auto made = described(key.get());
    if (!made) return fail(made.error());
    keys.push_back(*std::move(made));
  }
  if (keys.empty()) {
    return fail(ErrorCode::invalid,
                "there is no PEM certificate, public key or private key without a password in it");
  }
  return keys;
}

}  // namespace fairway::http
