// SPDX-License-Identifier: Apache-2.0

#include "http/rsa_key.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <pthread.h>

#include <cstddef>
#include <string>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "http/certificate.h"
#include "http/internal/tls/pem.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

TEST(RsaKey, IsAnotherOneEachTimeAndWhatOpensslHoldsForOne) {
  std::string before;
  for (int i = 0; i < 5; ++i) {
    const auto made = make_rsa_key();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(made->starts_with("-----BEGIN PRIVATE KEY-----\n")) << made->substr(0, 40);
    EXPECT_NE(*made, before);
    before = *made;
    const auto key = parse_private_key(*made);
    ASSERT_TRUE(key) << key.error().message;
    EXPECT_EQ(EVP_PKEY_is_a(key->get(), "RSA"), 1);
    EXPECT_EQ(EVP_PKEY_get_bits(key->get()), 2048);
    const Owned<EVP_PKEY_CTX> check(EVP_PKEY_CTX_new_from_pkey(nullptr, key->get(), nullptr),
                                    EVP_PKEY_CTX_free);
    // Primality of the factors, and that all eight numbers go together.
    EXPECT_EQ(EVP_PKEY_check(check.get()), 1) << openssl_error();
  }
}

/// Makes threads impossible, as a limit of processes or of memory does, while it lives.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    // No address space has room for such a stack.
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 50);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }

 private:
  pthread_attr_t usual_{};
};

TEST(RsaKey, IsMadeWithoutAnotherThreadWhereThereCanBeNone) {
  const NoThreads none;
  ASSERT_THROW(std::thread([] {}).join(), std::system_error);
  const auto made = make_rsa_key();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(parse_private_key(*made));
}

TEST(RsaKey, IsTheKeyOfTheCertificateThatIsIssuedForIt) {
  const WallTime now = Clock::system().now();
  const Validity a_day{now - 1h, now + 24h};
  const auto authority = make_authority("Fairway CA", a_day);
  ASSERT_TRUE(authority) << authority.error().message;
  const std::string key = make_rsa_key().value();
  const auto issued = issue_client_certificate(*authority, "admin", {"system:masters"}, a_day, key);
  ASSERT_TRUE(issued) << issued.error().message;
  EXPECT_EQ(issued->key, key);
  EXPECT_TRUE(check_key(*issued, "the certificate"));
  const auto refused = issue_client_certificate(*authority, "admin", {}, a_day, "no key");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
}

}  // namespace
}  // namespace fairway::http
