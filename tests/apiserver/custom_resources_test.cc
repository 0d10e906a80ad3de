// SPDX-License-Identifier: Apache-2.0

// Resources of CustomResourceDefinitions: served, validated, converted and removed with their definition.
#include <chrono>
#include <string>

#include "apiserver/definition_case.h"
#include "kube/wait/wait_until.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {
namespace {

std::string version(const std::string& name, bool storage, const std::string& fields) {
  return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
         R"(,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
            "spec":{"type":"object","properties":{)" +
         fields + R"(}},"status":{"type":"object","properties":{"ready":{"type":"boolean"}}}}}}})";
}

std::string definition(const std::string& versions, const std::string& kind = "Widget") {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"widgets","kind":")" +
         kind + R"("},"versions":[)" + versions + "]}}";
}

const std::string size_field = R"("size":{"type":"integer","minimum":1,"default":3})";
const std::string both_fields = size_field + R"(,"color":{"type":"string"})";

Limits limits() {
  return Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(1)));
}

class CustomResources : public OnServer {
 protected:
  json::Value post(const std::string& path, const std::string& body) const {
    return parsed(send({.method = "POST", .path = path, .content_type = "application/json", .body = body}));
  }
  json::Value put(const std::string& path, const std::string& body) const {
    return parsed(send({.method = "PUT", .path = path, .content_type = "application/json", .body = body}));
  }
  json::Value remove(const std::string& path) const {
    return parsed(send({.method = "DELETE", .path = path}));
  }
  /// Creates a definition and waits for its condition, as a client does.
  void define(const std::string& text) const {
    const json::Value made = post(std::string(definitions_path), text);
    ASSERT_EQ(json::find_string(made, "kind"), "CustomResourceDefinition") << json::to_text(made);
    const auto established = kube::wait_until(
        client, k8s::GroupVersionResource{"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
        {"", "widgets.example.com"}, kube::is_ready(), limits());
    ASSERT_TRUE(established) << established.error().message;
  }
  json::Value create(const std::string& name, const std::string& spec,
                     const std::string& version = "v1") const {
    return post("/apis/example.com/" + version + "/namespaces/default/widgets",
                R"({"apiVersion":"example.com/)" + version + R"(","kind":"Widget","metadata":{"name":")" +
                    name + R"("},"spec":)" + spec + "}");
  }
  json::Value read(const std::string& name, const std::string& version = "v1") const {
    return parsed(get("/apis/example.com/" + version + "/namespaces/default/widgets/" + name));
  }
};

TEST_F(CustomResources, ArePrunedDefaultedAndValidated) {
  define(definition(version("v1", true, size_field)));
  EXPECT_EQ(create("a", R"({"x":1})").at("spec"), parsed(R"({"size":3})"));
  const json::Value refused = create("b", R"({"size":0})");
  EXPECT_EQ(json::find_string(refused, "message"),
            "Widget.example.com \"b\" is invalid: spec.size: Invalid value: 0: spec.size in body should be "
            "greater than or equal to 1");
}

TEST_F(CustomResources, StayOutOfTheStatusAndTheStatusOutOfThem) {
  define(definition(version("v1", true, size_field)));
  json::Value widget = create("a", "{}");
  const std::string path = "/apis/example.com/v1/namespaces/default/widgets/a";
  widget.get_object()["status"] = parsed(R"({"ready":true})");
  widget.at("spec").get_object()["size"] = 7;
  widget = put(path, json::to_text(widget));
  EXPECT_EQ(json::find(widget, "status"), nullptr);
  EXPECT_EQ(widget.at("metadata").at("generation"), 2);
  widget.get_object()["status"] = parsed(R"({"ready":true})");
  widget.at("spec").get_object()["size"] = 9;
  widget = put(path + "/status", json::to_text(widget));
  EXPECT_EQ(widget.at("status"), parsed(R"({"ready":true})"));
  EXPECT_EQ(widget.at("spec"), parsed(R"({"size":7})"));
  EXPECT_EQ(widget.at("metadata").at("generation"), 2);
}

TEST_F(CustomResources, AreServedInAllVersions) {
  define(definition(version("v1", true, size_field) + "," + version("v2", false, both_fields)));
  create("a", R"({"size":5,"color":"red"})", "v2");
  // v1 is stored, and has no color.
  EXPECT_EQ(read("a", "v2").at("spec"), parsed(R"({"size":5})"));
  EXPECT_EQ(json::find_string(read("a", "v2"), "apiVersion"), "example.com/v2");
  EXPECT_EQ(json::find_string(read("a"), "apiVersion"), "example.com/v1");
}

TEST_F(CustomResources, InListsCarryKindAndApiVersion) {
  define(definition(version("v1", true, size_field)));
  create("a", "{}");
  const json::Value list = parsed(get("/apis/example.com/v1/namespaces/default/widgets"));
  ASSERT_EQ(list.at("items").as_array().size(), 1U);
  EXPECT_EQ(json::find_string(list.at("items").at(0), "kind"), "Widget");
  EXPECT_EQ(json::find_string(list.at("items").at(0), "apiVersion"), "example.com/v1");
}

// The hash is that of a real server for Widget of example.com/v1.
TEST_F(CustomResources, HaveTheHashOfTheirStoredVersionInDiscovery) {
  define(definition(version("v1", true, size_field) + "," + version("v2", false, both_fields)));
  for (const std::string served : {"v1", "v2"}) {
    const json::Value list = parsed(get("/apis/example.com/" + served));
    ASSERT_EQ(list.at("resources").as_array().size(), 2U) << json::to_text(list);
    const json::Value& widgets = list.at("resources").at(0);
    EXPECT_EQ(json::find_string(widgets, "singularName"), "widget");
    EXPECT_EQ(json::find_string(widgets, "storageVersionHash"), "gIwvi5rymmg=");
    EXPECT_EQ(json::find_string(list.at("resources").at(1), "name"), "widgets/status");
    EXPECT_EQ(json::find_string(list.at("resources").at(1), "singularName"), "");
  }
}

TEST_F(CustomResources, FollowTheirDefinition) {
  define(definition(version("v1", true, size_field)));
  create("a", R"({"size":5})");
  json::Value stored = parsed(get(std::string(definitions_path) + "/widgets.example.com"));
  stored.at("spec")
      .at("versions")
      .at(0)
      .at("schema")
      .at("openAPIV3Schema")
      .at("properties")
      .at("spec")
      .at("properties") = parsed("{" + both_fields + "}");
  const json::Value updated =
      put(std::string(definitions_path) + "/widgets.example.com", json::to_text(stored));
  ASSERT_EQ(json::find_string(updated, "kind"), "CustomResourceDefinition") << json::to_text(updated);
  server->wait_until_current();
  EXPECT_EQ(create("b", R"({"color":"red"})").at("spec"), parsed(R"({"color":"red","size":3})"));
}

TEST_F(CustomResources, GoBeforeTheirDefinition) {
  define(definition(version("v1", true, size_field)));
  create("a", "{}");
  json::Value held = create("b", "{}");
  held.at("metadata").get_object()["finalizers"] = json::Array{"example.com/hold"};
  const std::string path = "/apis/example.com/v1/namespaces/default/widgets/b";
  held = put(path, json::to_text(held));
  remove(std::string(definitions_path) + "/widgets.example.com");
  server->wait_until_current();
  EXPECT_EQ(json::find_string(read("a"), "reason"), "NotFound");
  held = read("b");
  EXPECT_TRUE(k8s::Dynamic(held.get_object()).is_being_deleted());
  EXPECT_EQ(json::find_string(parsed(get(std::string(definitions_path) + "/widgets.example.com")), "kind"),
            "CustomResourceDefinition");
  held.at("metadata").get_object().erase("finalizers");
  put(path, json::to_text(held));
  const auto gone = kube::wait_until(
      client, k8s::GroupVersionResource{"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
      {"", "widgets.example.com"}, kube::is_deleted(), limits());
  EXPECT_TRUE(gone) << gone.error().message;
  server->wait_until_current();
  EXPECT_EQ(json::find_string(read("a"), "message"), "the server could not find the requested resource");
}

TEST_F(CustomResources, OfANameThatIsTakenAreNotServed) {
  define(definition(version("v1", true, size_field)));
  std::string other = definition(version("v1", true, size_field));
  for (std::size_t at = other.find("widgets"); at != std::string::npos; at = other.find("widgets")) {
    other.replace(at, 7, "gadgets");
  }
  post(std::string(definitions_path), other);
  server->wait_until_current();
  const json::Value stored = parsed(get(std::string(definitions_path) + "/gadgets.example.com"));
  EXPECT_EQ(json::find_string(stored.at("status").at("conditions").at(0), "reason"), "ListKindConflict");
  EXPECT_EQ(parsed(get("/apis/example.com/v1/namespaces/default/gadgets")).at("code"), 404);
}

TEST_F(CustomResources, CanBeAppliedWithTheirDefinitionBeforeTheServerIsReady) {
  const auto applied =
      server->apply(definition(version("v1", true, size_field)) +
                        "\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {}\n",
                    "widgets.yaml");
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(read("a").at("spec"), parsed(R"({"size":3})"));
}

TEST_F(CustomResources, AreDeletedWithOptionsInProtobuf) {
  define(definition(version("v1", true, size_field)));
  create("w", "{}");
  // An envelope (runtime.Unknown) with apiVersion v1, kind DeleteOptions, and `orphanDependents` (3) false.
  const std::string type = std::string("\x0a\x02v1\x12\x0d") + "DeleteOptions", options("\x18\x00", 2);
  const std::string body = std::string("k8s\0", 4) + "\x0a" + static_cast<char>(type.size()) + type + "\x12" +
                           static_cast<char>(options.size()) + options;
  const json::Value removed = parsed(send({.method = "DELETE",
                                           .path = "/apis/example.com/v1/namespaces/default/widgets/w",
                                           .content_type = "application/vnd.kubernetes.protobuf",
                                           .body = body}));
  EXPECT_EQ(json::find_string(removed, "status"), "Success") << json::to_text(removed);
}

}  // namespace
}  // namespace fairway::apiserver::testing
