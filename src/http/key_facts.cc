// SPDX-License-Identifier: Apache-2.0

#include "http/key_facts.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/objects.h>

#include <array>

#include "http/internal/tls/pem.h"

namespace fairway::http {

Result<KeyFacts> read_key_facts(std::string_view pem) {
  const auto key = parse_private_key(pem);
  if (!key) return fail(key.error());
  KeyFacts facts;
  if (const char* name = EVP_PKEY_get0_type_name(key->get()); name != nullptr) facts.algorithm = name;
  facts.bits = EVP_PKEY_get_bits(key->get());
  BIGNUM* exponent = nullptr;
  if (facts.algorithm == "RSA" && EVP_PKEY_get_bn_param(key->get(), OSSL_PKEY_PARAM_RSA_E, &exponent) == 1) {
    const Owned<BIGNUM> owned(exponent, BN_free);
    facts.exponent_bits = BN_num_bits(owned.get());
  }
  std::array<char, 80> group{};
  std::size_t length = 0;
  if (facts.algorithm == "EC" &&
      EVP_PKEY_get_group_name(key->get(), group.data(), group.size(), &length) == 1) {
    facts.group.assign(group.data(), length);
    const char* nist = EC_curve_nid2nist(OBJ_txt2nid(facts.group.c_str()));
    if (nist != nullptr) facts.group = nist;
  }
  return facts;
}

}  // namespace fairway::http
