// SPDX-License-Identifier: Apache-2.0

#include "http/credentials.h"

#include <gtest/gtest.h>

namespace fairway::http {
namespace {

/// "user|password", or "none".
std::string decoded(std::string_view text) {
  const auto credentials = decode_basic(text);
  return credentials ? credentials->username + "|" + credentials->password : "none";
}

TEST(BasicCredentials, AreWrittenAsRfc7617Says) {
  EXPECT_EQ(basic_authorization("Aladdin:open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(basic_authorization("", ""), "Basic Og==");
  EXPECT_EQ(basic_authorization("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(BasicCredentials, AreReadWithPaddingAndWithout) {
  EXPECT_EQ(decoded("QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "Aladdin|open sesame");
  EXPECT_EQ(decoded(" QWxhZGRpbjpvcGVuIHNlc2FtZQ "), "Aladdin|open sesame");
  EXPECT_EQ(decoded("dXNlcjpwOnE="), "user|p:q");  // the first colon ends the name
  EXPECT_EQ(decoded("Og=="), "|");
}

TEST(BasicCredentials, AreNothingElse) {
  for (const char* text : {"", "=", "dXNlcg==", "user:password", "dXNlcjpw!", "dXNl=cjpw"}) {
    EXPECT_EQ(decoded(text), "none") << text;
  }
}

}  // namespace
}  // namespace fairway::http
