// SPDX-License-Identifier: Apache-2.0

// MutatingAdmissionPolicies are checked and stored, and whoever writes one is told that it has no effect.
#include <string>
#include <vector>

#include "apiserver/raw_client.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

TEST_F(OnServer, WarnsOfMutatingAdmissionPolicies) {
  const RawClient root(*server, &server->admin());
  for (const json::Value& one :
       fairway::testing::read_cases(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/mutating_policies.json")) {
    SCOPED_TRACE(fairway::testing::text(one, "case"));
    const std::string kind = fairway::testing::text(one, "kind");
    const bool is_binding = kind.ends_with("Binding");
    const std::string path = std::string("/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolic") +
                             (is_binding ? "ybindings" : "ies");
    const http::Reply reply =
        root.send("POST", path, {},
                  json::to_text(json::Object{{"metadata", {{"name", "a"}}}, {"spec", one.at("spec")}}));
    const k8s::Dynamic answer = body_of(reply);
    std::vector<std::string> fields, wanted;
    for (const k8s::View& cause : answer.items("details.causes")) fields.emplace_back(cause.text("field"));
    for (const json::Value& field : one.at("errors").as_array()) wanted.emplace_back(field.as_string());
    EXPECT_EQ(fields, wanted) << reply.body;
    EXPECT_EQ(reply.status, wanted.empty() ? 201 : 422);
    const auto warning = reply.headers.find("Warning");
    EXPECT_EQ(warning.has_value(), wanted.empty());
    if (warning) {
      EXPECT_NE(warning->find(kind + " is stored and has no effect"), std::string_view::npos) << *warning;
    }
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
