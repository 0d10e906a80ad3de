// SPDX-License-Identifier: Apache-2.0

#include "http/rsa_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <future>
#include <system_error>
#include <utility>

#include "http/internal/tls/pem.h"
#include "http/internal/tls/prime.h"

namespace fairway::http {
namespace {

constexpr int bits = 2048;
/// The least distance of the two primes, in bits: FIPS 186-5, A.1.3.
constexpr int least_distance = bits / 2 - 100;
constexpr BN_ULONG exponent = 65537;

/// The numbers of a private key (RFC 8017, 3.2).
struct PrivateNumbers {
  Number n = number(), e = number(), d = number(), p, q, dp = number(), dq = number(), qinv = number();
};

/// Fills in the numbers that follow from `p` and `q`. Returns false if OpenSSL fails, or the primes are too
/// close to each other.
bool complete(PrivateNumbers& key) {
  const Owned<BN_CTX> context(BN_CTX_secure_new(), BN_CTX_free);
  const Number p1 = number(), q1 = number(), all = number(), common = number(), least = number();
  if (!context || !p1 || !q1 || !all || !common || !least || !key.n || !key.e || !key.d || !key.p || !key.q ||
      !key.dp || !key.dq || !key.qinv) {
    return false;
  }
  if (BN_cmp(key.p.get(), key.q.get()) < 0) std::swap(key.p, key.q);
  BN_CTX* const c = context.get();
  for (BIGNUM* const secret :
       {key.p.get(), key.q.get(), key.d.get(), p1.get(), q1.get(), all.get(), least.get()}) {
    BN_set_flags(secret, BN_FLG_CONSTTIME);
  }
  // Until it is used for the exponent, it holds the distance.
  if (BN_sub(common.get(), key.p.get(), key.q.get()) != 1 || BN_num_bits(common.get()) <= least_distance) {
    return false;
  }
  return BN_set_word(key.e.get(), exponent) == 1 && BN_mul(key.n.get(), key.p.get(), key.q.get(), c) == 1 &&
         BN_num_bits(key.n.get()) == bits && BN_sub(p1.get(), key.p.get(), BN_value_one()) == 1 &&
         BN_sub(q1.get(), key.q.get(), BN_value_one()) == 1 &&
         BN_mul(all.get(), p1.get(), q1.get(), c) == 1 && BN_gcd(common.get(), p1.get(), q1.get(), c) == 1 &&
         BN_div(least.get(), nullptr, all.get(), common.get(), c) == 1 &&
         BN_mod_inverse(key.d.get(), key.e.get(), least.get(), c) != nullptr &&
         BN_num_bits(key.d.get()) > bits / 2 && BN_mod(key.dp.get(), key.d.get(), p1.get(), c) == 1 &&
         BN_mod(key.dq.get(), key.d.get(), q1.get(), c) == 1 &&
         BN_mod_inverse(key.qinv.get(), key.q.get(), key.p.get(), c) != nullptr;
}

/// Returns the key that has these numbers; none if OpenSSL refuses them.
Owned<EVP_PKEY> key_of(const PrivateNumbers& numbers) {
  Owned<EVP_PKEY> none(nullptr, EVP_PKEY_free);
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new(), OSSL_PARAM_BLD_free);
  if (!builder) return none;
  const auto push = [&](const char* name, const Number& value) {
    return OSSL_PARAM_BLD_push_BN(builder.get(), name, value.get()) == 1;
  };
  if (!push(OSSL_PKEY_PARAM_RSA_N, numbers.n) || !push(OSSL_PKEY_PARAM_RSA_E, numbers.e) ||
      !push(OSSL_PKEY_PARAM_RSA_D, numbers.d) || !push(OSSL_PKEY_PARAM_RSA_FACTOR1, numbers.p) ||
      !push(OSSL_PKEY_PARAM_RSA_FACTOR2, numbers.q) || !push(OSSL_PKEY_PARAM_RSA_EXPONENT1, numbers.dp) ||
      !push(OSSL_PKEY_PARAM_RSA_EXPONENT2, numbers.dq) ||
      !push(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, numbers.qinv)) {
    return none;
  }
  const Owned<OSSL_PARAM> parameters(OSSL_PARAM_BLD_to_param(builder.get()), OSSL_PARAM_free);
  const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* made = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_KEYPAIR, parameters.get()) != 1) {
    return none;
  }
  return {made, EVP_PKEY_free};
}

/// Begins to make a prime on another thread. Where none can be made, it is made by whoever asks for it.
std::future<Number> begin_prime() {
  const auto begin = [](std::launch how) { return std::async(how, &random_prime, bits / 2, exponent); };
  try {
    return begin(std::launch::async);
  } catch (const std::system_error&) {
    return begin(std::launch::deferred);
  }
}

}  // namespace

// OpenSSL's own generator takes 147 ms (measured), 55 ms with primes of BN_generate_prime_ex, which makes 64
// rounds of its test whatever the number. The start of a server would wait for it.
Result<std::string> make_rsa_key() {
  PrivateNumbers numbers{.p = {nullptr, BN_clear_free}, .q = {nullptr, BN_clear_free}};
  constexpr int attempts = 4;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::future<Number> other = begin_prime();
    numbers.p = random_prime(bits / 2, exponent);
    numbers.q = other.get();
    if (!complete(numbers)) continue;
    const Owned<EVP_PKEY> key = key_of(numbers);
    const Owned<BIO> out(BIO_new(BIO_s_secmem()), BIO_free_all);
    if (!key || !out ||
        PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
      break;
    }
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out.get(), &bytes);
    return std::string(bytes, static_cast<std::size_t>(size));
  }
  return fail(ErrorCode::internal, "making an RSA key: " + openssl_error());
}

}  // namespace fairway::http
