// SPDX-License-Identifier: Apache-2.0

// The ConfigMap with the server's authority, which each namespace has and keeps.
#include <string>

#include "apiserver/server_case.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::eventually;

TEST(NamespaceDefaults, KeepTheAuthorityAsItIs) {
  const auto server = start_server();
  const auto client = client_of(*server, {.max_retries = 0});
  const k8s::Key key{"default", "kube-root-ca.crt"};
  const auto is_right = [&] {
    const auto seen = client->get(config_maps, key);
    const std::string data = seen && seen->has("data") ? json::to_text(*seen->find("data")) : "";
    return data == json::to_text(json::Object{{"ca.crt", server->authority()}});
  };
  ASSERT_TRUE(eventually(is_right));
  ASSERT_OK(client->remove(config_maps, key));
  EXPECT_TRUE(eventually(is_right)) << "after it was deleted";
  for (const char* data : {R"({"ca.crt":""})", R"({"ca.crt":"x","more":"y"})", "{}"}) {
    k8s::Dynamic other =
        object_of(R"({"apiVersion":"v1","kind":"ConfigMap","data":)" + std::string(data) + "}");
    other.set_name(key.name);
    other.set_namespace_name(key.namespace_name);
    ASSERT_OK(client->replace(config_maps, other));
    EXPECT_TRUE(eventually(is_right)) << "after " << data;
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
