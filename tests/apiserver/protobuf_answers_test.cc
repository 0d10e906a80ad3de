// SPDX-License-Identifier: Apache-2.0

// Answers in protobuf: they say what the answers in JSON say.
#include <future>
#include <string>

#include "apiserver/definition_case.h"
#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/protobuf_frames.h"
#include "apiserver/raw_case.h"

namespace fairway::apiserver::testing {
namespace {

constexpr std::string_view accept = "application/vnd.kubernetes.protobuf",
                           metadata = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                           metadata_list = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

class ProtobufAnswers : public OnRawServer {};

const std::string maps = "/api/v1/namespaces/default/configmaps";

TEST_F(ProtobufAnswers, SayWhatThoseInJsonSay) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  ASSERT_OK(client->create(config_maps, config_map("b")));
  struct Question {
    std::string target, as;
    int status = 200;
  };
  for (const Question& one : {Question{maps + "/a", ""},
                              {maps, ""},
                              {maps + "?limit=1", ""},
                              {maps + "?labelSelector=no%3Dne", ""},
                              {maps + "/a", std::string(metadata)},
                              {maps, std::string(metadata_list)},
                              {"/api/v1/namespaces/default", ""},
                              {"/api/v1/services", ""},
                              {"/apis/rbac.authorization.k8s.io/v1/clusterroles", ""},
                              {"/apis/rbac.authorization.k8s.io/v1/clusterroles/admin", ""},
                              {"/apis/apiregistration.k8s.io/v1/apiservices", ""},
                              {"/apis/coordination.k8s.io/v1/leases", ""},
                              {maps + "/none", "", 404},
                              {maps + "?limit=x", "", 400},
                              {"/no/such/path", "", 404}}) {
    SCOPED_TRACE(one.target + one.as);
    const http::Reply json = ask(one.target, "application/json" + one.as);
    const http::Reply reply = ask(one.target, std::string(accept) + one.as);
    EXPECT_EQ(json.status, one.status);
    EXPECT_EQ(reply.status, one.status);
    EXPECT_EQ(reply.headers.find("Content-Type"), accept);
    EXPECT_EQ(of_protobuf(reply.body), of_protobuf([&] {
                // What JSON leaves out as empty is there in protobuf, and the other way round.
                const json::Value value = parsed(json.body);
                const k8s::Dynamic object(value.get_object());
                return protobuf::enveloped(
                    object.group_version_kind(),
                    protobuf::to_message(value.get_object(), object.group_version_kind()).value());
              }()));
    if (one.status != 200) continue;
    EXPECT_TRUE(json::find(of_protobuf(reply.body).at("metadata"), "resourceVersion"));
  }
  // A list of JSON has them in the same order.
  const json::Value list = of_protobuf(ask(maps, std::string(accept)).body);
  const json::Value wanted = parsed(ask(maps, "application/json").body);
  ASSERT_EQ(list.at("items").get_array().size(), wanted.at("items").get_array().size());
  for (std::size_t i = 0; i < list.at("items").get_array().size(); ++i) {
    EXPECT_EQ(list.at("items").at(i).at("metadata"), wanted.at("items").at(i).at("metadata"));
  }
}

TEST_F(ProtobufAnswers, AreThoseOfWrites) {
  const std::string body = json::to_text(config_map("w").json());
  const http::Reply created = send("POST", maps, std::string(accept), body);
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.headers.find("Content-Type"), accept);
  EXPECT_EQ(of_protobuf(created.body), parsed(ask(maps + "/w", "application/json").body));
  const http::Reply again = send("POST", maps, std::string(accept), body);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(of_protobuf(again.body).at("reason"), "AlreadyExists");
  const http::Reply removed = send("DELETE", maps + "/w", std::string(accept));
  EXPECT_EQ(of_protobuf(removed.body).at("status"), "Success");
}

TEST_F(ProtobufAnswers, AreForWhoPrefersThem) {
  const std::string pb(accept);
  EXPECT_EQ(type(maps, pb + ",application/json"), "200 " + pb);
  EXPECT_EQ(type(maps, "application/json," + pb), "200 application/json");
  EXPECT_EQ(type(maps, pb + ";q=0.5,application/json"), "200 application/json");
  EXPECT_EQ(type(maps, "application/*"), "200 application/json");
  EXPECT_EQ(type(maps, "*/*"), "200 application/json");
  EXPECT_EQ(type(maps, pb + ";stream=watch"), "200 " + pb);
  EXPECT_EQ(type(maps, pb + ";as=Table;g=meta.k8s.io;v=v1"), "406 application/json");
  EXPECT_EQ(type(maps, pb + ";as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1"),
            "200 application/json");
  // The Status of an error has no other representation.
  EXPECT_EQ(type(maps + "/none", pb + std::string(metadata)), "404 application/json");
  EXPECT_EQ(type(maps + "/none", pb + ";q=0.1, application/yaml"), "404 application/yaml");
  EXPECT_EQ(type("/version", pb), "200 application/json");
}

TEST_F(ProtobufAnswers, AreFramesInAWatch) {
  const auto first = client->create(config_maps, config_map("a"));
  ASSERT_OK(first);
  ASSERT_OK(client->create(config_maps, config_map("b")));
  k8s::Dynamic changed = *first;
  constexpr std::size_t large = 100'000;
  changed.set("data.a", std::string(large, 'x'));
  ASSERT_OK(client->replace(config_maps, changed));
  ASSERT_OK(client->remove(config_maps, key("a")));
  const std::string watch = maps + "?watch=1&timeoutSeconds=4&resourceVersion=";
  const std::string since = watch + std::string(first->resource_version());
  const auto later = [&](const std::string& target, const std::string& as) {
    return std::async(std::launch::async, [&, target, as] { return ask(target, std::string(accept) + as); });
  };
  auto asked_all =
      later(watch + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", "");
  auto asked_events = later(since, ""), asked_metadata = later(since, std::string(metadata));

  const http::Reply initial = asked_all.get();
  EXPECT_EQ(initial.headers.find("Content-Type"), std::string(accept) + ";stream=watch");
  const auto all = frames(initial.body);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0).first, "ADDED");
  EXPECT_EQ(all.at(0).second, parsed(ask(maps + "/b", "application/json").body));
  EXPECT_EQ(all.at(1).first, "BOOKMARK");
  EXPECT_EQ(all.at(1).second.at("metadata").at("annotations").at("k8s.io/initial-events-end"), "true");

  // The stream ends with a whole frame.
  const auto events = frames(asked_events.get().body);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events.at(0).first, "ADDED");
  EXPECT_EQ(events.at(1).first, "MODIFIED");
  EXPECT_EQ(events.at(1).second.at("data").at("a").get_string().size(), large);
  EXPECT_EQ(events.at(2).first, "DELETED");
  const auto parts = frames(asked_metadata.get().body);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts.at(1).second.at("kind"), "PartialObjectMetadata");
  EXPECT_EQ(parts.at(1).second.at("metadata"), events.at(1).second.at("metadata"));
}

TEST_F(ProtobufAnswers, EndAWatchWithAnError) {
  // Of a version that will be here later.
  const http::Reply refused = ask(maps + "?watch=1&resourceVersion=1000000", std::string(accept));
  EXPECT_EQ(refused.headers.find("Content-Type"), accept);
  EXPECT_EQ(of_protobuf(refused.body).at("reason"), "Timeout");
}

TEST_F(ProtobufAnswers, AreNotOfCustomResourcesButOfTheirMetadata) {
  DefinitionCase(*server).define(definition_of(version_of("v1", true, "")));
  const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets", pb(accept);
  const std::string body =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{}})";
  // Nothing is done whose result cannot be told.
  EXPECT_EQ(send("POST", widgets, pb, body).status, 406);
  EXPECT_EQ(ask(widgets + "/w", "application/json").status, 404);
  EXPECT_EQ(send("POST", widgets, pb + ",application/json", body).headers.find("Content-Type"),
            "application/json");
  EXPECT_EQ(type(widgets, pb), "406 " + pb);
  EXPECT_EQ(type(widgets + "/none", pb), "406 " + pb);
  EXPECT_EQ(type(widgets + "?watch=1", pb), "406 " + pb);
  EXPECT_EQ(type(widgets, pb + ",application/json"), "200 application/json");
  EXPECT_EQ(type(widgets + "/none", pb + ",application/json"), "404 " + pb);
  EXPECT_EQ(type(widgets, pb + std::string(metadata_list)), "200 " + pb);
  const json::Value one = of_protobuf(ask(widgets + "/w", pb + std::string(metadata)).body);
  EXPECT_EQ(one.at("metadata"), parsed(ask(widgets + "/w", "application/json").body).at("metadata"));
  EXPECT_EQ(send("DELETE", widgets + "/w", pb).status, 406);
  EXPECT_EQ(send("DELETE", widgets + "/w", pb + ",application/json").headers.find("Content-Type"),
            "application/json");
}

TEST_F(ProtobufAnswers, AreNotOfACustomResourceWithTheNameOfAMessage) {
  DefinitionCase(*server).define(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"statuz.meta.k8s.io",
      "annotations":{"api-approved.kubernetes.io":"unapproved, for a test"}},
    "spec":{"group":"meta.k8s.io","scope":"Namespaced","names":{"plural":"statuz","kind":"Status"},
      "versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
  const std::string all = "/apis/meta.k8s.io/v1/namespaces/default/statuz", pb(accept);
  const http::Reply made =
      send("POST", all, pb + ",application/json",
           R"({"apiVersion":"meta.k8s.io/v1","kind":"Status","metadata":{"name":"a"},"mine":1})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.headers.find("Content-Type"), "application/json");
  EXPECT_EQ(parsed(made.body).at("mine"), 1);
  EXPECT_EQ(type(all + "/a", pb + ",application/json"), "200 application/json");
  EXPECT_EQ(type(all + "/a", pb), "406 " + pb);
  EXPECT_EQ(type(all, pb), "406 " + pb);
}

TEST_F(ProtobufAnswers, AreRefusedBeforeASubresourceIsWritten) {
  ASSERT_EQ(send("POST", "/api/v1/namespaces/default/pods", "application/json",
                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
                     "spec":{"containers":[{"name":"c","image":"i"}]}})")
                .status,
            201);
  const std::string binding =
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"name":"n"}})";
  const std::string pod = "/api/v1/namespaces/default/pods/p";
  EXPECT_EQ(send("POST", pod + "/binding", "text/plain", binding).status, 406);
  EXPECT_EQ(json::find(parsed(ask(pod, "application/json").body).at("spec"), "nodeName"), nullptr);
  EXPECT_EQ(send("POST", pod + "/binding", std::string(accept), binding).status, 201);
}

}  // namespace
}  // namespace fairway::apiserver::testing
