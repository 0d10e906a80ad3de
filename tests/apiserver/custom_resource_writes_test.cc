// SPDX-License-Identifier: Apache-2.0

// What becomes of nulls, metadata, other versions and replicas where custom resources are written.
#include <string>
#include <vector>

#include "apiserver/definition_case.h"

namespace fairway::apiserver::testing {
namespace {

class CustomResourceWrites : public OnServer {
 protected:
  json::Value apply(const std::string& spec) const {
    return parsed(
        send({.method = "PATCH",
              .path = api.path("a"),
              .query = "fieldManager=test",
              .content_type = "application/apply-patch+yaml",
              .body = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":)" +
                      spec + "}"}));
  }
  static std::string message(const json::Value& status) {
    return std::string(json::find_string(status, "message").value_or(json::to_text(status)));
  }

  DefinitionCase api{*server};
};

TEST_F(CustomResourceWrites, GiveTheDefaultsOfTheStoredVersionAlone) {
  api.define(definition_of(
      version_of("v1", true, R"("a":{"type":"integer","default":1},"b":{"type":"integer"})") + "," +
      version_of("v2", false, R"("a":{"type":"integer"},"b":{"type":"integer","default":2})")));
  api.create("a");
  EXPECT_EQ(api.read("a").at("spec"), parsed(R"({"a":1})"));
  EXPECT_EQ(api.read("a", "v2").at("spec"), parsed(R"({"a":1})"));
  api.send("PATCH", api.path("a", "v2") + "/status", R"({"status":{"ready":true}})",
           "application/merge-patch+json");
  EXPECT_EQ(api.read("a").at("spec"), parsed(R"({"a":1})")) << "a status has no part in the spec";
  EXPECT_EQ(api.read("a").at("status"), parsed(R"({"ready":true})"));

  const json::Value made =
      api.send("POST", api.path("", "v2"),
               R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"b"},"spec":{}})");
  EXPECT_EQ(json::to_text(made.at("spec").at("a")) + json::to_text(made.at("spec").at("b")), "12")
      << "those of the request, and of what is stored";
  EXPECT_EQ(api.read("b").at("spec"), parsed(R"({"b":2,"a":1})"));
}

TEST_F(CustomResourceWrites, AreNotAppliedWhereFieldsAreOwnedInAVersionThatIsGone) {
  const std::string v2 = version_of("v2", true, R"("a":{"type":"integer"})");
  api.define(definition_of(version_of("v1", false, R"("a":{"type":"integer"})") + "," + v2));
  api.create("a", R"({"a":1})");
  json::Value definition = api.get(api.definition_path());
  definition.at("spec").at("versions") = json::Array{parsed(v2)};
  api.send("PUT", api.definition_path(), json::to_text(definition));
  server->wait_until_current();
  const auto apply_in_v2 = [&](const char* spec) {
    return parsed(send({.method = "PATCH",
                        .path = api.path("a", "v2"),
                        .query = "fieldManager=test",
                        .content_type = "application/apply-patch+yaml",
                        .body = R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"},)"
                                R"("spec":)" +
                                std::string(spec) + "}"}));
  };
  const json::Value refused = apply_in_v2(R"({"a":2})");
  EXPECT_EQ(refused.at("code"), 500);
  EXPECT_TRUE(message(refused).contains("request to convert CR to an invalid group/version: example.com/v1"))
      << message(refused);
  // Other writes go on, and nobody owns a field after them.
  const json::Value written = api.send("PATCH", api.path("a", "v2"), R"({"metadata":{"labels":{"l":"m"}}})",
                                       "application/merge-patch+json");
  EXPECT_FALSE(written.at("metadata").as_object().contains("managedFields")) << json::to_text(written);
  EXPECT_EQ(json::find_string(apply_in_v2(R"({"a":1})"), "kind"), "Widget");
}

TEST_F(CustomResourceWrites, RefuseANullThatIsAppliedAndDropOneThatIsSent) {
  const std::string object = R"({"type":"object","properties":{"x":{"type":"string"}})";
  api.define(definition_of(
      version_of("v1", true, R"("inner":)" + object + R"(},"maybe":)" + object + R"(,"nullable":true})")));
  EXPECT_EQ(apply(R"({"inner":{"x":"1"},"maybe":{"x":"1"}})").at("spec").at("inner"), parsed(R"({"x":"1"})"));
  EXPECT_EQ(
      message(apply(R"({"inner":null})")),
      "Widget.example.com \"a\" is invalid: spec.inner: Invalid value: \"null\": spec.inner in body must "
      "be of type object: \"null\"");
  const json::Value cleared = apply(R"({"maybe":null})");
  EXPECT_EQ(cleared.at("spec"), parsed(R"({"maybe":null})"));
  EXPECT_EQ(api.create("b", R"({"inner":null,"maybe":null})").at("spec"), parsed(R"({"maybe":null})"));
}

TEST_F(CustomResourceWrites, RefuseMetadataOfOtherTypesAsThoseOfBuiltInKinds) {
  api.define(definition_of(version_of("v1", true, "")));
  const json::Value refused = api.send(
      "POST", api.path(""),
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","labels":{"l":42}}})");
  EXPECT_EQ(refused.at("code"), 400);
  EXPECT_EQ(message(refused),
            "Widget in version \"v1\" cannot be handled as a Widget: json: cannot unmarshal number into Go "
            "struct field ObjectMeta.labels of type string");
  EXPECT_EQ(json::find_string(api.create("a"), "kind"), "Widget");
}

TEST_F(CustomResourceWrites, OfAnotherKindAreInvalid) {
  api.define(definition_of(version_of("v1", true, "")));
  const json::Value refused = api.send(
      "POST", api.path(""), R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"}})");
  EXPECT_EQ(refused.at("code"), 422);
  EXPECT_EQ(message(refused),
            "Gadget.example.com \"a\" is invalid: kind: Invalid value: \"Gadget\": must be Widget");
}

TEST_F(CustomResourceWrites, HaveNoPathWithoutANamespace) {
  api.define(definition_of(version_of("v1", true, "")));
  const std::string widget = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}})";
  EXPECT_EQ(api.send("POST", "/apis/example.com/v1/widgets", widget).at("code"), 404);
  EXPECT_EQ(json::find_string(api.get("/apis/example.com/v1/widgets"), "kind"), "WidgetList");
}

TEST_F(CustomResourceWrites, LeaveNoReplicasThatScaleCouldNotShow) {
  std::string version = version_of("v1", true, R"("size":{"type":"integer"})");
  const std::string before = R"("status":{})";
  version.replace(
      version.find(before), before.size(),
      before + R"(,"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.size"})");
  api.define(definition_of(version));
  EXPECT_EQ(message(api.create("a", R"({"size":-1})")),
            "Widget.example.com \"a\" is invalid: .spec.size: Invalid value: -1: should be a non-negative "
            "integer");
  EXPECT_EQ(json::find_string(api.create("a", R"({"size":2147483647})"), "kind"), "Widget");
  EXPECT_EQ(message(api.patch("a", R"({"spec":{"size":2147483648}})")),
            "Widget.example.com \"a\" is invalid: .spec.size: Invalid value: 2147483648: should be less than "
            "or equal to 2147483647");
}

TEST_F(CustomResourceWrites, OfADeprecatedVersionAreWarnedOf) {
  const auto deprecated = [](std::string version, const std::string& text) {
    return version.replace(0, 1, R"({"deprecated":true,)" + text);
  };
  api.define(definition_of(version_of("v2", true, "") + "," + deprecated(version_of("v1", false, ""), "") +
                           "," +
                           deprecated(version_of("v1beta1", false, ""), R"("deprecationWarning":"stop",)")));
  std::vector<std::string> warnings;
  const auto warned = client_of(*server, {.max_retries = 0, .on_warning = [&](std::string_view warning) {
                                            warnings.emplace_back(warning);
                                          }});
  const auto get = [&](const std::string& version, const std::string& name) {
    warnings.clear();
    std::string body;
    [[maybe_unused]] const auto sent = warned->send({.path = api.path(name, version)}, body);
    return warnings;
  };
  EXPECT_EQ(get("v2", ""), std::vector<std::string>{});
  EXPECT_EQ(get("v1", ""),
            std::vector<std::string>{"example.com/v1 Widget is deprecated; use example.com/v2 Widget"});
  EXPECT_EQ(get("v1beta1", "none"), std::vector<std::string>{"stop"}) << "also where it is refused";
}

}  // namespace
}  // namespace fairway::apiserver::testing
