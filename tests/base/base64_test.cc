// SPDX-License-Identifier: Apache-2.0

#include "base/base64.h"

#include <gtest/gtest.h>

namespace fairway {
namespace {

TEST(Base64, IsThatOfRfc4648) {
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"},
                                                         {std::string("\0\xff\xfe", 3), "AP/+"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64, SkipsLineEndsAndTakesNothingElse) {
  EXPECT_EQ(base64_decode("Zm9v\r\nYmFy\n"), "foobar");
  for (const char* broken :
       {"Z", "Zg", "Zg=", "Zg===", "Z===", "=", "Zg==Zg==", "Zm9v=", "Zm 9v", "Zm9-", "Zm9_", "Z\xff=="}) {
    EXPECT_FALSE(base64_decode(broken)) << broken;
  }
}

TEST(Base64, GivesAnyBytesBack) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
    bytes += static_cast<char>(i * 7 + i / 256);
  }
}

TEST(Base64Url, HasAnAlphabetOfItsOwnAndNoPadding) {
  EXPECT_EQ(base64url_encode(std::string("\xfb\xff\xfe\x01", 4)), "-__-AQ");
  EXPECT_EQ(base64url_decode("-__-AQ"), std::string("\xfb\xff\xfe\x01", 4));
  EXPECT_EQ(base64url_decode(""), "");
  for (const char* broken : {"-__-AQ==", "+//+AQ", "-__-AR", "A", "AQ\n", "AQ=", "A Q"}) {
    EXPECT_FALSE(base64url_decode(broken)) << broken;
  }
}

}  // namespace
}  // namespace fairway
