// SPDX-License-Identifier: Apache-2.0

#include "http/internal/client/proxy.h"

#include <gtest/gtest.h>

#include "http/table.h"

namespace fairway::http {
namespace {

TEST(ProxyRules, DecideAsTheTableSays) {
  for (const TableRow& row : read_table("proxy.tsv")) {
    const auto rules = ProxyRules::make("http://proxy:3128", "proxy:3129", row.at(1));
    ASSERT_TRUE(rules) << rules.error().message;
    const auto url = Url::parse(row.at(0));
    ASSERT_TRUE(url);
    const auto proxy = rules->proxy_for(*url);
    EXPECT_EQ(proxy ? "proxy" : "direct", row.at(2)) << "proxy.tsv:" << row.line;
    EXPECT_TRUE(!proxy || proxy->port == (url->scheme == "https" ? 3129 : 3128)) << "proxy.tsv:" << row.line;
  }
}

TEST(ProxyRules, RefuseProxiesThatAreNotSpokenTo) {
  EXPECT_EQ(ProxyRules::make("socks5://proxy:1080", "", "").error().code, ErrorCode::unsupported);
  EXPECT_EQ(ProxyRules::make("", "https://proxy:3128", "").error().code, ErrorCode::unsupported);
  EXPECT_EQ(ProxyRules::make("http://proxy:99999", "", "").error().code, ErrorCode::invalid);
}

TEST(ProxyRules, CanBeOneProxyForEverything) {
  const auto rules = ProxyRules::always("http://proxy:3128");
  ASSERT_TRUE(rules) << rules.error().message;
  for (const char* url : {"http://example.com/", "https://127.0.0.1:6443/", "https://localhost/"}) {
    const auto proxy = rules->proxy_for(Url::parse(url).value());
    EXPECT_EQ(proxy ? proxy->port : 0, 3128) << url;
  }
  EXPECT_EQ(ProxyRules::always("socks5://proxy:1080").error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace fairway::http
