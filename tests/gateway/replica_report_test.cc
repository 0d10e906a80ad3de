// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/replicas/replica_report.h"

#include <gtest/gtest.h>

namespace fairway::gateway {
namespace {

using xds::Type;

xds::Report report() {
  return {.has_envoys = true,
          .said = {{{Type::cluster, "shop/cart:80"}, {.version = "a1"}},
                   {{Type::listener, "127.0.0.1:80"}, {.version = "b2", .refusal = "no \"such\" thing"}},
                   {{Type::route, "127.0.0.1:80"},
                    {.version = "d1",
                     .parts = {{.host = "a.example", .route = 0, .message = "no such regex"},
                               {.host = "b.example", .route = {}, .message = "no such host"}}}}}};
}

TEST(ReplicaReport, IsReadAsItWasWritten) {
  ReplicaReport message = difference({}, report());
  message.replica = "host_0123";
  message.to = "host_4567";
  message.number = 7;
  message.base = 6;
  message.gone = {{Type::route, "127.0.0.1:80#shop/web"}};
  const auto read = read_replica_report(to_text(message));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, message);
}

TEST(ReplicaReport, HasWhatHasChanged) {
  xds::Report now = report();
  now.said.erase({Type::cluster, "shop/cart:80"});
  now.said.at({Type::listener, "127.0.0.1:80"}) = {.version = "b3"};
  now.said[{Type::secret, "shop/certificate"}] = {.version = "c1"};
  const ReplicaReport changes = difference(report(), now);
  EXPECT_EQ(changes.said.size(), 2U);
  EXPECT_EQ(changes.gone, (std::set<xds::ResourceName>{{Type::cluster, "shop/cart:80"}}));
  EXPECT_EQ(with_changes(report(), changes), now);
  EXPECT_EQ(difference(now, now), ReplicaReport{.has_envoys = true});
}

TEST(ReplicaReport, ThatIsNotUnderstoodIsRefused) {
  const std::string cluster = xds::url_of(Type::cluster);
  const std::pair<std::string, const char*> cases[] = {
      {"", "the report of a replica"},
      {"[]", "`replica` or `to` is missing"},
      {R"({"number":1,"base":0,"hasEnvoys":true,"said":[],"gone":[]})", "`replica` or `to` is missing"},
      {R"({"replica":"a","to":"b","number":0,"base":0,"hasEnvoys":true,"said":[],"gone":[]})",
       "`number` and `base`"},
      {R"({"replica":"a","to":"b","number":-1,"base":0,"hasEnvoys":true,"said":[],"gone":[]})",
       "`number` and `base`"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"said":[],"gone":[]})", "`hasEnvoys`"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"hasEnvoys":true,"gone":[]})", "`said` and `gone`"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"hasEnvoys":true,"said":[{"name":"x","version":"v"}],"gone":[]})",
       "without `type` and `name`"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"hasEnvoys":true,"said":[{"type":"x","name":"x","version":"v"}],)"
       R"("gone":[]})",
       "the type x is not served here"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"hasEnvoys":true,"said":[{"name":"x","type":")" +
           cluster + R"("}],"gone":[]})",
       "without `version`"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"hasEnvoys":true,"said":[{"name":"x","version":"v","refusal":1,)"
       R"("type":")" +
           cluster + R"("}],"gone":[]})",
       "`refusal` is no text"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"hasEnvoys":true,"said":[{"name":"x","version":"v","parts":1,)"
       R"("type":")" +
           cluster + R"("}],"gone":[]})",
       "`parts` is no list"},
      {R"({"replica":"a","to":"b","number":1,"base":0,"hasEnvoys":true,"said":[{"name":"x","version":"v","parts":)"
       R"([{"host":"h","message":"m","route":-1}],"type":")" +
           cluster + R"("}],"gone":[]})",
       "a part without `host`"}};
  for (const auto& [text, why] : cases) {
    const auto read = read_replica_report(text);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message.contains(why)) << text << "\n" << read.error().message;
  }
}

}  // namespace
}  // namespace fairway::gateway
