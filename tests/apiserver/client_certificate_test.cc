// SPDX-License-Identifier: Apache-2.0

// Subjects of client certificates, and whose they are. Each was tried with a kube-apiserver 1.36, too.
#include "apiserver/internal/access/client_certificate.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace fairway::apiserver::access {
namespace {

/// Returns the user of a subject as "name|uid|groups", or "nobody".
std::string user_text(std::string_view subject) {
  const auto user = user_of_subject(subject);
  return user ? user->name + "|" + user->uid + "|" + join(user->groups, " ") : "nobody";
}

TEST(ClientCertificate, NamesItsUser) {
  EXPECT_EQ(user_text("CN=ann,O=b,O=a"), "ann||a b system:authenticated");
  EXPECT_EQ(user_text("CN=a\\,b\\+\\C3\\A4"), "a,b+\xc3\xa4||system:authenticated");
  EXPECT_EQ(user_text("O=a"), "nobody");
  EXPECT_EQ(user_text("CN="), "nobody");
}

TEST(ClientCertificate, IsOfTheLastOfSeveralNames) {
  EXPECT_EQ(user_text("CN=last,CN=first"), "last||system:authenticated");
  EXPECT_EQ(user_text("CN=,CN=first"), "nobody");
}

TEST(ClientCertificate, MayHaveAUid) {
  EXPECT_EQ(user_text("1.3.6.1.4.1.57683.2=#0C026964,CN=ann"), "ann|id|system:authenticated");
  EXPECT_EQ(user_text("CN=ann,1.3.6.1.4.1.57683.2=#1303343232"), "ann|422|system:authenticated");
  for (const char* subject :
       {"1.3.6.1.4.1.57683.2=#0C00,CN=ann", "1.3.6.1.4.1.57683.2=#0201FF,CN=ann",
        "1.3.6.1.4.1.57683.2=#0C0361,CN=ann", "1.3.6.1.4.1.57683.2=#0C0,CN=ann",
        "1.3.6.1.4.1.57683.2=id,CN=ann", "1.3.6.1.4.1.57683.2=#0C0161,1.3.6.1.4.1.57683.2=#0C0161,CN=ann"})
    EXPECT_EQ(user_text(subject), "nobody") << subject;
}

}  // namespace
}  // namespace fairway::apiserver::access
