// SPDX-License-Identifier: Apache-2.0

#include "http/internal/tls/prime.h"

#include <cstdint>
#include <vector>

namespace fairway::http {
namespace {

/// Rounds of the test of Miller and Rabin with random bases. FIPS 186-5 (B.3, table B.1) asks for fewer of
/// primes of 1,024 bits.
constexpr int rounds = 8;
/// Numbers with a factor below this are not tested.
constexpr std::uint32_t sieve_limit = 1 << 17;
/// Odd numbers in a row, one of which is probably prime: ten times the mean distance of primes of 1,024 bits.
constexpr std::size_t window = 4096;

std::vector<std::uint32_t> odd_primes_below(std::uint32_t limit) {
  std::vector<bool> composite(limit);
  std::vector<std::uint32_t> primes;
  for (std::uint32_t i = 3; i < limit; i += 2) {
    if (composite[i]) continue;
    primes.push_back(i);
    for (std::uint64_t k = std::uint64_t{i} * i; k < limit; k += std::uint64_t{2} * i) composite[k] = true;
  }
  return primes;
}

/// Returns which of the odd numbers from `first` on have a small factor.
std::vector<bool> sieved(const BIGNUM* first) {
  static const std::vector<std::uint32_t> primes = odd_primes_below(sieve_limit);
  std::vector<bool> composite(window);
  for (const std::uint32_t prime : primes) {
    const auto rest = static_cast<std::uint64_t>(BN_mod_word(first, prime));
    // The least i with first + 2i divisible: half of what is missing, modulo the prime.
    const std::uint64_t missing = (prime - rest) % prime;
    std::uint64_t at = missing % 2 == 0 ? missing / 2 : (missing + prime) / 2;
    for (; at < window; at += prime) composite[at] = true;
  }
  return composite;
}

enum class Verdict : std::uint8_t { composite, prime, failed };

/// The test of Miller and Rabin for odd numbers (FIPS 186-5, B.3.1).
class PrimeTest {
 public:
  explicit PrimeTest(BN_CTX* context) : context_(context) {}

  Verdict judge(const BIGNUM* candidate) {
    if (!begin(candidate)) return Verdict::failed;
    for (int round = 0; round < rounds; ++round) {
      if (const Verdict verdict = judge_once(candidate); verdict != Verdict::prime) return verdict;
    }
    return Verdict::prime;
  }

 private:
  /// Finds the odd part of the number before the candidate.
  bool begin(const BIGNUM* candidate) {
    if (!before_ || !odd_ || !base_ || !power_ || !montgomery_ ||
        BN_sub(before_.get(), candidate, BN_value_one()) != 1) {
      return false;
    }
    twos_ = 1;
    while (BN_is_bit_set(before_.get(), twos_) == 0) ++twos_;
    return BN_rshift(odd_.get(), before_.get(), twos_) == 1 &&
           BN_MONT_CTX_set(montgomery_.get(), candidate, context_) == 1;
  }

  Verdict judge_once(const BIGNUM* candidate) {
    do {
      // From 2 to two less than the candidate.
      if (BN_priv_rand_range(base_.get(), before_.get()) != 1) return Verdict::failed;
    } while (BN_is_zero(base_.get()) == 1 || BN_is_one(base_.get()) == 1);
    if (BN_mod_exp_mont_consttime(power_.get(), base_.get(), odd_.get(), candidate, context_,
                                  montgomery_.get()) != 1) {
      return Verdict::failed;
    }
    if (BN_is_one(power_.get()) == 1 || BN_cmp(power_.get(), before_.get()) == 0) return Verdict::prime;
    for (int i = 1; i < twos_; ++i) {
      if (BN_mod_sqr(power_.get(), power_.get(), candidate, context_) != 1) return Verdict::failed;
      if (BN_cmp(power_.get(), before_.get()) == 0) return Verdict::prime;
    }
    return Verdict::composite;
  }

  BN_CTX* context_;
  Number before_ = number(), odd_ = number(), base_ = number(), power_ = number();
  Owned<BN_MONT_CTX> montgomery_{BN_MONT_CTX_new(), BN_MONT_CTX_free};
  /// Number of factors 2 of the number before the candidate.
  int twos_ = 0;
};

}  // namespace

Number number() {
  return {BN_secure_new(), BN_clear_free};
}

Number random_prime(int bits, BN_ULONG exponent) {
  Number none(nullptr, BN_clear_free);
  const Owned<BN_CTX> context(BN_CTX_secure_new(), BN_CTX_free);
  Number candidate = number();
  if (!context || !candidate) return none;
  PrimeTest test(context.get());
  while (true) {
    if (BN_priv_rand(candidate.get(), bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ODD) != 1) return none;
    const std::vector<bool> composite = sieved(candidate.get());
    std::size_t at = 0;
    for (std::size_t next = 0; next < window; ++next) {
      if (composite[next]) continue;
      if (BN_add_word(candidate.get(), 2 * (next - at)) != 1) return none;
      at = next;
      // Beyond the largest number of so many bits: from elsewhere again.
      if (BN_num_bits(candidate.get()) != bits) break;
      if (BN_mod_word(candidate.get(), exponent) == 1) continue;
      const Verdict verdict = test.judge(candidate.get());
      if (verdict == Verdict::failed) return none;
      if (verdict == Verdict::prime) return candidate;
    }
  }
}

}  // namespace fairway::http
