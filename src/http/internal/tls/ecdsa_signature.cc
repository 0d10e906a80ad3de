// SPDX-License-Identifier: Apache-2.0

#include "http/internal/tls/ecdsa_signature.h"

#include <openssl/bn.h>
#include <openssl/ec.h>

#include "http/internal/tls/pem.h"

namespace fairway::http {
namespace {

bool append_number(std::string& bytes, const BIGNUM* value, std::size_t size) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + size);
  const int length = static_cast<int>(size);
  return BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data() + begin), length) == length;
}

}  // namespace

std::optional<std::string> ecdsa_numbers(std::string_view der, std::size_t number_size) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const Owned<ECDSA_SIG> signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())),
                                   ECDSA_SIG_free);
  std::string numbers;
  if (!signature || !append_number(numbers, ECDSA_SIG_get0_r(signature.get()), number_size) ||
      !append_number(numbers, ECDSA_SIG_get0_s(signature.get()), number_size)) {
    return std::nullopt;
  }
  return numbers;
}

std::optional<std::string> ecdsa_der(std::string_view numbers, std::size_t number_size) {
  if (numbers.size() != 2 * number_size) return std::nullopt;
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  const int length = static_cast<int>(number_size);
  const Owned<ECDSA_SIG> parts(ECDSA_SIG_new(), ECDSA_SIG_free);
  Owned<BIGNUM> r(BN_bin2bn(bytes, length, nullptr), BN_free);
  Owned<BIGNUM> s(BN_bin2bn(bytes + number_size, length, nullptr), BN_free);
  // They belong to `parts` from then on; it refuses only null.
  if (!parts || !r || !s || ECDSA_SIG_set0(parts.get(), r.release(), s.release()) != 1) return std::nullopt;
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(parts.get(), &encoded);
  if (size <= 0) return std::nullopt;
  std::string der(reinterpret_cast<char*>(encoded), static_cast<std::size_t>(size));
  OPENSSL_free(encoded);
  return der;
}

}  // namespace fairway::http
