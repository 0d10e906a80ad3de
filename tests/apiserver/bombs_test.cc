// SPDX-License-Identifier: Apache-2.0

// Bodies that are small or simple and would be large, or deep, once they are read: each is refused, and the
// server goes on.
#include <string>

#include "apiserver/raw_client.h"
#include "http/compress.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string all;
  all.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += piece;
  return all;
}

std::string body_of_case(const json::Value& one) {
  const auto part = [&](const char* name) { return std::string(json::find_string(one, name).value_or("")); };
  const json::Value* times = json::find(one, "times");
  const std::size_t count = times != nullptr ? times->to_number<std::size_t>() : 0;
  return part("before") + repeated(part("open"), count) + part("middle") + repeated(part("close"), count) +
         part("after");
}

TEST_F(OnServer, RefusesBombs) {
  server
      ->apply(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"widgets.bomb.example.com"},"spec":{"group":"bomb.example.com","scope":"Namespaced",
      "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})",
              "definition")
      .value();
  ASSERT_OK(client->create(config_maps, config_map("here")));
  const RawClient root(*server, &server->admin());
  for (const json::Value& one :
       fairway::testing::read_cases(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/bombs.json")) {
    SCOPED_TRACE(fairway::testing::text(one, "case"));
    http::Headers headers;
    headers.set("Content-Type", std::string(json::find_string(one, "type").value_or("application/json")));
    std::string body = body_of_case(one);
    if (const auto encoding = json::find_string(one, "encoding")) {
      headers.set("Content-Encoding", std::string(*encoding));
      body = http::gzip(body);
    }
    const http::Reply reply = root.send(std::string(json::find_string(one, "method").value_or("POST")),
                                        fairway::testing::text(one, "path"), headers, std::move(body));
    EXPECT_EQ(reply.status, fairway::testing::field(one, "status").to_number<int>())
        << reply.body.substr(0, 300);
    EXPECT_EQ(json::find_string(parsed(reply.body), "kind"), "Status");
    EXPECT_EQ(root.send("GET", "/readyz").body, "ok");
  }
  EXPECT_OK(client->get(config_maps, key("here")));
}

}  // namespace
}  // namespace fairway::apiserver::testing
