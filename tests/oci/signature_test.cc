// SPDX-License-Identifier: Apache-2.0

#include "oci/signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "oci/signing.h"

namespace fairway::oci {
namespace {

using fairway::testing::Gpg;
using fairway::testing::signature_content;
using fairway::testing::TempDirectory;

const std::string digest = "sha256:" + std::string(64, 'a');
const std::string content = signature_content(digest, "quay.io/a/b:4.16.0");

/// Fixture with one home with the key "good" (exported to keys/), made once for all tests: making keys takes
/// time.
class Signatures : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Gpg::installed()) return;
    folder = new TempDirectory;
    gpg = new Gpg(*folder / "home");
    std::filesystem::create_directories(*folder / "keys");
    ASSERT_TRUE(gpg->make_key("good"));
    ASSERT_TRUE(gpg->export_key("good", *folder / "keys/good.asc"));
  }
  static void TearDownTestSuite() {
    delete gpg;
    delete folder;
    gpg = nullptr;
    folder = nullptr;
  }
  void SetUp() override {
    if (gpg == nullptr) GTEST_SKIP() << "gnupg is not installed";
  }
  static std::unique_ptr<KeyRing> keys(const std::string& name = "keys") {
    auto ring = KeyRing::load(*folder / name, Clock::system());
    if (!ring) throw std::runtime_error(ring.error().message);
    return *std::move(ring);
  }
  static std::string refusal(const std::string& message, const std::string& ring = "keys") {
    const auto verified = keys(ring)->verify(message, digest);
    return verified ? "accepted" : verified.error().message;
  }

  static TempDirectory* folder;
  static Gpg* gpg;
};
TempDirectory* Signatures::folder = nullptr;
Gpg* Signatures::gpg = nullptr;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Signatures, AreTakenFromATrustedKey) {
  const auto message = gpg->sign("good", content);
  ASSERT_FALSE(message.empty());
  const auto reference = keys()->verify(message, digest);
  ASSERT_TRUE(reference) << reference.error().message;
  EXPECT_EQ(*reference, "quay.io/a/b:4.16.0");
  EXPECT_EQ(refusal(gpg->sign("good", content, "--sign", "--compress-algo none")), "accepted");
}

TEST_F(Signatures, AreTakenFromABinaryKeyFileToo) {
  std::filesystem::create_directories(*folder / "binary");
  ASSERT_TRUE(gpg->export_key("good", *folder / "binary/good.gpg", false));
  EXPECT_EQ(refusal(gpg->sign("good", content), "binary"), "accepted");
}

TEST_F(Signatures, AreRefusedForAnotherDigestOrType) {
  EXPECT_CONTAINS(refusal(gpg->sign("good", signature_content("sha256:" + std::string(64, 'b'), "r"))),
                  "for another image");
  EXPECT_CONTAINS(refusal(gpg->sign("good", signature_content(digest, "r", "sermon"))), "for something else");
}

TEST_F(Signatures, AreRefusedFromAnotherKey) {
  ASSERT_TRUE(gpg->make_key("stranger"));
  EXPECT_CONTAINS(refusal(gpg->sign("stranger", content)), "not trusted");
}

TEST_F(Signatures, AreRefusedWhenAnythingWasChanged) {
  const auto message = gpg->sign("good", content, "--sign", "--compress-algo none");
  auto tampered = message;
  const auto at = tampered.find("quay.io");
  ASSERT_NE(at, std::string::npos);
  tampered[at] = 'Q';
  EXPECT_NE(refusal(tampered), "accepted");
  for (std::size_t i = 0; i < message.size(); i += 3) {
    auto flipped = message;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x01);
    const auto verified = keys()->verify(flipped, digest);
    // Some bits are not covered, such as the literal packet's time; the content is.
    if (verified) {
      EXPECT_EQ(*verified, "quay.io/a/b:4.16.0") << i;
    }
    EXPECT_NE(refusal(message.substr(0, i)), "accepted") << i;
  }
}

TEST_F(Signatures, AreRefusedInOtherForms) {
  EXPECT_CONTAINS(refusal(gpg->sign("good", content, "--clear-sign")), "no binary");
  EXPECT_CONTAINS(refusal(gpg->sign("good", content, "--armor --sign")), "no binary");
  EXPECT_NE(refusal(gpg->sign("good", content, "--detach-sign")), "accepted");
  EXPECT_CONTAINS(refusal(content), "no binary");
  EXPECT_CONTAINS(refusal(""), "no binary");
  EXPECT_CONTAINS(refusal("\x90 garbage"), "no signed OpenPGP message");
  EXPECT_CONTAINS(refusal(gpg->sign("good", content, "--store")), "no signed OpenPGP message");
  const auto encrypted = gpg->sign("good", content, "--symmetric", "--pinentry-mode loopback --passphrase x");
  EXPECT_NE(refusal(encrypted), "accepted");
}

TEST_F(Signatures, AreRefusedWithAWeakHash) {
  ASSERT_TRUE(gpg->gpg("--pinentry-mode loopback --passphrase '' --quick-gen-key rsa rsa2048 sign never"));
  std::filesystem::create_directories(*folder / "rsa");
  ASSERT_TRUE(gpg->export_key("rsa", *folder / "rsa/rsa.asc"));
  EXPECT_EQ(refusal(gpg->sign("rsa", content), "rsa"), "accepted");
  const auto sha1 = gpg->sign("rsa", content, "--sign", "--digest-algo SHA1 --allow-weak-digest-algos");
  ASSERT_FALSE(sha1.empty());
  EXPECT_NE(refusal(sha1, "rsa"), "accepted");
}

TEST_F(Signatures, AreRefusedFromAnExpiredKey) {
  ASSERT_TRUE(gpg->make_key("expired", "20200201T000000", "20200101T000000"));
  const auto message = gpg->sign("expired", content, "--sign", "--faked-system-time 20200102T000000!");
  ASSERT_FALSE(message.empty());
  std::filesystem::create_directories(*folder / "old");
  ASSERT_TRUE(gpg->export_key("expired", *folder / "old/expired.asc"));
  const auto none = KeyRing::load(*folder / "old", Clock::system());
  ASSERT_FALSE(none);
  EXPECT_CONTAINS(none.error().message, "none of them is valid");
  ASSERT_TRUE(gpg->export_key("good", *folder / "old/good.asc"));
  EXPECT_CONTAINS(refusal(message, "old"), "expired");
}

TEST_F(Signatures, AreRefusedFromARevokedKey) {
  ASSERT_TRUE(gpg->make_key("revoked"));
  const auto message = gpg->sign("revoked", content);
  std::filesystem::create_directories(*folder / "revoked");
  ASSERT_TRUE(gpg->export_key("revoked", *folder / "revoked/before.asc"));
  EXPECT_EQ(refusal(message, "revoked"), "accepted");
  ASSERT_TRUE(gpg->revoke_key("revoked"));
  ASSERT_TRUE(gpg->export_key("revoked", *folder / "revoked/before.asc"));
  ASSERT_TRUE(gpg->export_key("good", *folder / "revoked/good.asc"));
  EXPECT_CONTAINS(refusal(message, "revoked"), "revoked");
}

TEST_F(Signatures, AreRefusedWhenTheyExpired) {
  ASSERT_TRUE(gpg->make_key("early", "never", "20200101T000000"));
  std::filesystem::create_directories(*folder / "early");
  ASSERT_TRUE(gpg->export_key("early", *folder / "early/early.asc"));
  const std::string then = "--faked-system-time 20200102T000000! ";
  EXPECT_EQ(refusal(gpg->sign("early", content, "--sign", then), "early"), "accepted");
  const auto message = gpg->sign("early", content, "--sign", then + "--default-sig-expire 1d");
  ASSERT_FALSE(message.empty());
  EXPECT_CONTAINS(refusal(message, "early"), "expired");
}

TEST_F(Signatures, NeedAFolderOfKeysAndNothingElse) {
  const auto load = [](const std::string& name) {
    const auto ring = KeyRing::load(*folder / name, Clock::system());
    return ring ? "loaded" : ring.error().message;
  };
  EXPECT_CONTAINS(load("missing"), "missing");
  std::filesystem::create_directories(*folder / "empty/..data");
  EXPECT_CONTAINS(load("empty"), "there are none");
  folder->write("readme/README", "not a key");
  EXPECT_CONTAINS(load("readme"), "README");
}

TEST_F(Signatures, LeaveStandardErrorToTheProgram) {
  folder->write("broken/key.asc", "\x99\x01\x0dgarbage that is no key at all");
  const auto ring = keys();
  ::testing::internal::CaptureStderr();
  const auto refused = ring->verify("\x90 garbage", digest);
  const auto broken = KeyRing::load(*folder / "broken", Clock::system());
  std::fputs("of the program\n", stderr);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "of the program\n");
  EXPECT_FALSE(refused);
  EXPECT_FALSE(broken);
}

TEST_F(Signatures, HaveARingWithAFingerprint) {
  EXPECT_EQ(keys()->fingerprint(), keys()->fingerprint());
  std::filesystem::create_directories(*folder / "other");
  ASSERT_TRUE(gpg->export_key("good", *folder / "other/other.asc"));
  EXPECT_NE(keys()->fingerprint(), keys("other")->fingerprint());
}

TEST(SignatureContent, MustBeUnderstoodWhole) {
  const std::string start =
      R"({"critical":{"type":"atomic container signature","image":{"docker-manifest-digest":")" + digest +
      R"("},"identity":{"docker-reference":"r"})";
  EXPECT_EQ(read_signature_content(start + "}}", digest).value(), "r");
  EXPECT_EQ(read_signature_content(start + R"(},"optional":{"x":1},"more":2})", digest).value(), "r");
  for (const std::string& text :
       {start + R"(,"valid-until":1}})", std::string("{}"), std::string("[]"),
        std::string(R"({"critical":[]})"), std::string("garbage"),
        std::string(R"({"critical":{"type":"atomic container signature"}})"),
        // A key twice: which of the two was signed for is for each reader to decide.
        start + R"(},"critical":{}})", R"({"critical":{},)" + start.substr(1) + "}}",
        start + R"(,"type":"atomic container signature"}})"}) {
    EXPECT_FALSE(read_signature_content(text, digest)) << text;
  }
}

}  // namespace
}  // namespace fairway::oci
