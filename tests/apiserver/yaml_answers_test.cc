// SPDX-License-Identifier: Apache-2.0

// Answers in YAML: they say what the answers in JSON say.
#include <string>

#include "apiserver/raw_case.h"
#include "k8s/documents.h"

namespace fairway::apiserver::testing {
namespace {

class YamlAnswers : public OnRawServer {
 protected:
  static json::Value of_yaml(const std::string& text) {
    auto documents = k8s::read_documents(text);
    if (!documents || documents->size() != 1) throw std::runtime_error("no YAML document: " + text);
    return std::move(documents->front().value);
  }
};

TEST_F(YamlAnswers, SayWhatThoseInJsonSay) {
  k8s::Dynamic map = config_map("y");
  int number = 0;
  for (const std::string text : {"true",
                                 "no",
                                 "~",
                                 "",
                                 "1",
                                 "0x10",
                                 "1e3",
                                 "- a",
                                 "a: b",
                                 "a #b",
                                 "\"q\"",
                                 "it's",
                                 " lead ",
                                 "two\nlines\n",
                                 "tab\t",
                                 "\x01",
                                 "\x7f",
                                 "\xc2\x85 \xe2\x80\xa8 \xe2\x80\xa9",
                                 "\xef\xbb\xbfmark",
                                 "\xf0\x9f\x98\x80",
                                 "key\\",
                                 "2026-01-01",
                                 "<<",
                                 "=",
                                 "y",
                                 "{",
                                 "%",
                                 "@",
                                 "|\n"}) {
    map.set("data.k" + std::to_string(++number), text);
  }
  ASSERT_OK(client->create(config_maps, map));
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  const std::string table = ";as=Table;v=v1;g=meta.k8s.io",
                    metadata = ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const std::string discovery = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  struct Question {
    std::string target, as;
    int status = 200;
  };
  for (const Question& one : {Question{maps + "/y", ""},
                              {maps, ""},
                              {maps + "/y", metadata},
                              {maps + "/y", table},
                              {maps, table},
                              {maps + "/none", "", 404},
                              {"/api/v1", ""},
                              {"/api", ""},
                              {"/apis", ""},
                              {"/apis", discovery},
                              {"/apis/apps", ""},
                              {"/no/such/path", "", 404}}) {
    SCOPED_TRACE(one.target + one.as);
    const http::Reply json = ask(one.target, "application/json" + one.as);
    const http::Reply yaml = ask(one.target, "application/yaml" + one.as);
    EXPECT_EQ(json.status, one.status);
    EXPECT_EQ(yaml.status, one.status);
    EXPECT_TRUE(json.headers.find("Content-Type").value_or("").starts_with("application/json"));
    EXPECT_EQ(yaml.headers.find("Content-Type"),
              "application/yaml" + (one.as == discovery ? discovery : std::string()));
    EXPECT_EQ(of_yaml(yaml.body), parsed(json.body)) << yaml.body;
  }
}

TEST_F(YamlAnswers, AreSortedByName) {
  ASSERT_OK(client->create(config_maps, config_map("y")));
  const std::string body = ask("/api/v1/namespaces/default/configmaps/y", "application/yaml").body;
  EXPECT_TRUE(body.starts_with("apiVersion: v1\ndata:\n  a: \"1\"\nkind: ConfigMap\nmetadata:\n")) << body;
}

TEST_F(YamlAnswers, AreForWhoPrefersThemAndNoWatch) {
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  EXPECT_EQ(type(maps, "application/json, application/yaml"), "200 application/json");
  EXPECT_EQ(type(maps, "application/yaml, application/json"), "200 application/yaml");
  EXPECT_EQ(type(maps, "application/json;q=0.5, application/yaml;q=0.9"), "200 application/yaml");
  EXPECT_EQ(type(maps, "*/*"), "200 application/json");
  EXPECT_EQ(type(maps, "application/yaml;as=Foo;v=v1;g=meta.k8s.io, application/json"),
            "200 application/json");
  EXPECT_EQ(type(maps, "application/yaml;stream=watch"), "406 application/json");
  for (const std::string& target : {maps, std::string("/api"), std::string("/apis"), std::string("/api/v1"),
                                    std::string("/apis/apps/v1"), std::string("/apis/apps")}) {
    EXPECT_EQ(type(target, "application/cbor"), "406 application/json") << target;
    EXPECT_EQ(type(target, "application/cbor, application/json"), "200 application/json") << target;
  }
  EXPECT_TRUE(type(maps + "?watch=1", "application/yaml").starts_with("406 "))
      << type(maps + "?watch=1", "application/yaml");
}

}  // namespace
}  // namespace fairway::apiserver::testing
