// SPDX-License-Identifier: Apache-2.0

// Impersonation, reviews and requests for tokens, beside the answers of a real kube-apiserver
// (scripts/k8s/record-access.py).
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/user.h"
#include "apiserver/raw_client.h"
#include "base/file.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::field;
using fairway::testing::text;

/// Removes the certificate's id: the server was recorded with tokens, which do not have one.
void forget_certificate(json::Object& status) {
  json::Value* user = status.if_contains("userInfo");
  json::Value* extra = user != nullptr ? user->as_object().if_contains("extra") : nullptr;
  if (extra == nullptr) return;
  const auto found = extra->as_object().find(access::credential_id_key);
  if (found != extra->as_object().end() && json::to_text(found->value()).starts_with(R"(["X509SHA256=)"))
    extra->as_object().erase(found);
  if (extra->as_object().empty()) user->as_object().erase("extra");
}

/// Returns a reply without the values that differ each time.
json::Value comparable(json::Value answer) {
  json::Object* object = answer.if_object();
  if (object == nullptr) return answer;
  if (json::Value* metadata = object->if_contains("metadata"); metadata != nullptr && metadata->is_object()) {
    for (const char* name : {"creationTimestamp", "uid", "resourceVersion"})
      metadata->get_object().erase(name);
  }
  if (json::Value* status = object->if_contains("status"); status != nullptr && status->is_object()) {
    json::Object& members = status->get_object();
    for (const char* name : {"token", "expirationTimestamp"}) members.erase(name);
    forget_certificate(members);
    // Where two bindings allow it a real server names either, and it gives rules in any order.
    constexpr std::string_view allowed = "RBAC: allowed by ";
    json::Value* reason = members.if_contains("reason");
    if (reason != nullptr && std::string_view(reason->as_string()).starts_with(allowed)) *reason = allowed;
    for (const char* name : {"resourceRules", "nonResourceRules"}) {
      if (json::Value* rules = members.if_contains(name)) {
        std::ranges::sort(rules->as_array(), {}, [](const json::Value& rule) { return json::to_text(rule); });
      }
    }
  }
  return answer;
}

TEST(RecordedAccess, IsAnsweredAsByTheRealServer) {
  const json::Value recorded =
      parsed(read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/access.json").value());
  // It was recorded without kube-controller-manager.
  const auto server = start_server({.namespace_defaults = false, .role_aggregation = false});
  const RawClient admin(*server, &server->admin());
  for (const json::Value& object : field(recorded, "objects").as_array()) {
    const http::Reply made =
        admin.send("POST", text(object, "path"), {}, json::to_text(field(object, "body")));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  const json::Array& cases = field(recorded, "cases").as_array();
  ASSERT_GE(cases.size(), 300u);
  for (const json::Value& one : cases) {
    SCOPED_TRACE(json::to_text(one));
    std::vector<std::string> groups;
    for (const json::Value& group : field(one, "groups").as_array()) groups.emplace_back(group.as_string());
    const auto certificate = server->client_certificate(text(one, "user"), groups).value();
    http::Headers headers;
    for (const json::Value& header : field(one, "headers").as_array()) {
      headers.add(std::string(header.at(0).as_string()), std::string(header.at(1).as_string()));
    }
    const json::Value* body = json::find(one, "body");
    const http::Reply reply = RawClient(*server, &certificate)
                                  .send(text(one, "method"), text(one, "path"), headers,
                                        body != nullptr ? json::to_text(*body) : "");
    EXPECT_EQ(reply.status, field(one, "status").to_number<int>()) << reply.body;
    if (const json::Value* answer = json::find(one, "answer")) {
      const json::Value ours = comparable(json::parse(reply.body).value_or(json::Value(reply.body)));
      EXPECT_EQ(ours, comparable(*answer)) << json::to_text(ours);
    }
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
