// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/token_realm.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "support/table.h"

namespace fairway::oci {
namespace {

TEST(TokenRealm, ReceivesCredentialsAsTheTableSays) {
  for (const auto& row : testing::read_table(FAIRWAY_SOURCE_DIR "/tests/oci/data/token_realms.tsv")) {
    SCOPED_TRACE("token_realms.tsv:" + std::to_string(row.line));
    const auto registry = http::Url::parse(row.at(0)), realm = http::Url::parse(row.at(1));
    ASSERT_TRUE(registry && realm);
    std::vector<std::string> allowed;
    const std::string hosts = row.at(2);
    for (const auto host : split(hosts, ' ')) {
      if (!host.empty()) allowed.emplace_back(host);
    }
    EXPECT_EQ(may_receive_credentials(*registry, *realm, allowed), row.at(3) == "yes")
        << row.at(0) << " and " << row.at(1);
  }
}

TEST(TokenRealm, TakesHostsWithAndWithoutPort) {
  for (const std::string good : {"auth.example.com", "auth:5001", "[::1]:5001", "10.0.0.1"}) {
    EXPECT_TRUE(check_token_host(good)) << good;
  }
  for (const std::string bad :
       {"", "https://auth.example.com", "auth/token", "user:pw@auth", "auth:x", "a b", "auth?x"}) {
    EXPECT_FALSE(check_token_host(bad)) << bad;
  }
}

}  // namespace
}  // namespace fairway::oci
