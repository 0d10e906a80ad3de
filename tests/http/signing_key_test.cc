// SPDX-License-Identifier: Apache-2.0

// Signatures of tokens: each kind of key that kube-apiserver takes, in each form of file.
#include "http/signing_key.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "support/table.h"

namespace fairway::http {
namespace {

std::string key_file(const std::string& name) {
  return read_file(FAIRWAY_SOURCE_DIR "/tests/http/data/signing-keys/" + name).value();
}

/// Files of tests/http/data/signing-keys: a private key, its public halves, and what it signs by.
struct Kind {
  std::string name, algorithm;
  std::size_t signature_size;
};

class SigningKeys : public ::testing::TestWithParam<Kind> {};

TEST_P(SigningKeys, SignWhatEachFormOfTheirPublicHalfVerifies) {
  const auto& [name, algorithm, size] = GetParam();
  const std::string private_key = key_file(name + ".key");
  const auto signature = sign(private_key, "head.claims");
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_EQ(signature->size(), size);
  for (const char* form : {".key", ".traditional.key", ".pub", ".crt"}) {
    const auto keys = read_verifying_keys(key_file(name + form));
    ASSERT_TRUE(keys) << form << ": " << keys.error().message;
    ASSERT_EQ(keys->size(), 1U);
    EXPECT_EQ(keys->front().algorithm, algorithm);
    EXPECT_TRUE(verify(keys->front(), "head.claims", *signature)) << form;
    EXPECT_FALSE(verify(keys->front(), "head.other", *signature)) << form;
    EXPECT_FALSE(verify(keys->front(), "head.claims", signature->substr(1))) << form;
    EXPECT_FALSE(verify(keys->front(), "head.claims", "")) << form;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SigningKeys,
                         ::testing::Values(Kind{"p256", "ES256", 64}, Kind{"p384", "ES384", 96},
                                           Kind{"p521", "ES512", 132}, Kind{"rsa", "RS256", 256}),
                         [](const auto& kind) { return kind.param.name; });

TEST(VerifyingKeys, AreReadInTheOrderOfTheFile) {
  const auto keys =
      read_verifying_keys("a comment\n" + key_file("rsa.pub") + key_file("p256.crt") + key_file("p384.key"));
  ASSERT_TRUE(keys) << keys.error().message;
  ASSERT_EQ(keys->size(), 3U);
  EXPECT_EQ((*keys)[0].algorithm, "RS256");
  EXPECT_EQ((*keys)[0].exponent, std::string("\x01\x00\x01", 3));
  EXPECT_EQ((*keys)[0].modulus.size(), 256U);
  EXPECT_EQ((*keys)[1].curve, "P-256");
  EXPECT_EQ((*keys)[1].x.size(), 32U);
  EXPECT_EQ((*keys)[2].y.size(), 48U);
}

TEST(VerifyingKeys, OfOtherKindsAndOfNoneAreRefused) {
  for (const std::string& text :
       {std::string(), std::string("no key"), key_file("ed25519.pub"), key_file("secp256k1.pub"),
        key_file("rsa.pub").substr(0, 200) + "\n-----END PUBLIC KEY-----\n",
        std::string("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")}) {
    const auto keys = read_verifying_keys(text);
    EXPECT_FALSE(keys) << text;
  }
}

TEST(SigningKey, ThatSignsNothingIsRefused) {
  for (const char* file : {"p256.pub", "p256.crt", "ed25519.key"}) {
    EXPECT_EQ(sign(key_file(file), "bytes").error().code, ErrorCode::invalid) << file;
  }
  const std::string made = make_signing_key().value();
  EXPECT_TRUE(sign(made, "bytes"));
}

}  // namespace
}  // namespace fairway::http
