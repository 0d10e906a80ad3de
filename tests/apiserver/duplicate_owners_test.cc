// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

constexpr const char* owner = R"({"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u1"})";
constexpr const char* other = R"({"apiVersion":"v1","kind":"ConfigMap","name":"p","uid":"u1"})";

std::string owned(const std::string& owners) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","ownerReferences":[)" + owners +
         "]}}";
}

TEST(DuplicateOwners, GoWithAWarning) {
  const auto server = start_server({.garbage_collector = false, .namespace_defaults = false});
  const RawClient admin(*server, &server->admin());
  const std::string all = "/api/v1/namespaces/default/configmaps", one = all + "/a", text(owner);
  const auto warning = [](const http::Reply& reply) {
    return std::string(reply.headers.find("Warning").value_or(""));
  };
  const http::Reply made = admin.send("POST", all, {}, owned(text + "," + text + "," + other));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(body_of(made).owners().size(), 2u);
  EXPECT_EQ(
      warning(made),
      "299 - \".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
      "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) "
      "observed: u1\"");
  const http::Reply updated = admin.send("PUT", one, {}, owned(text + "," + text));
  EXPECT_EQ(body_of(updated).owners().size(), 1u) << updated.body;
  EXPECT_NE(warning(updated).find("contains duplicate entries;"), std::string::npos);
  const http::Reply patched = admin.send("PATCH", one, {{"Content-Type", "application/merge-patch+json"}},
                                         R"({"metadata":{"ownerReferences":[)" + text + "," + text + "]}}");
  EXPECT_EQ(body_of(patched).owners().size(), 1u) << patched.body;
  EXPECT_NE(warning(patched).find("contains duplicate entries after mutating admission happens;"),
            std::string::npos);
  EXPECT_EQ(warning(admin.send("PUT", one, {}, owned(text + "," + other))), "");
}

}  // namespace
}  // namespace fairway::apiserver::testing
