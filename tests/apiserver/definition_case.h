// SPDX-License-Identifier: Apache-2.0

// Custom resources of a server: definitions that tests make and change.
#pragma once

#include <chrono>
#include <string>

#include "apiserver/server_case.h"
#include "kube/wait/wait_until.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {

inline constexpr std::string_view definitions_path =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline const k8s::GroupVersionResource definitions_resource{"apiextensions.k8s.io", "v1",
                                                            "customresourcedefinitions"};
inline const k8s::GroupVersionResource widgets{"example.com", "v1", "widgets"};

/// Returns a version of a definition. `fields`: the properties of spec. The status is a subresource.
inline std::string version_of(const std::string& name, bool storage, const std::string& fields) {
  return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
         R"(,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
            "spec":{"type":"object","properties":{)" +
         fields + R"(}},"status":{"type":"object","properties":{"ready":{"type":"boolean"}}}}}}})";
}

/// Returns a definition. `names`: more members of spec.names.
inline std::string definition_of(const std::string& versions, const std::string& names = "") {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"widgets","kind":"Widget")" +
         names + R"(},"versions":[)" + versions + "]}}";
}

inline Limits within_seconds(int usually) {
  return Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(usually)));
}

/// Operations of tests on one server.
class DefinitionCase {
 public:
  explicit DefinitionCase(EmbeddedServer& server)
      : server_(server), client_(client_of(server, {.max_retries = 0})) {}

  const std::shared_ptr<kube::Client>& client() const { return client_; }

  /// Returns the reply, whatever its status.
  json::Value send(const std::string& method, const std::string& path, const std::string& body = "",
                   const std::string& type = "application/json") const {
    std::string reply;
    const auto sent =
        client_->send({.method = method, .path = path, .content_type = type, .body = body}, reply);
    return parsed(sent ? reply : sent.error().status.to_text());
  }
  json::Value get(const std::string& path) const { return send("GET", path); }

  /// Creates a definition, and waits until it is handled.
  json::Value define(const std::string& text) const {
    json::Value made = send("POST", std::string(definitions_path), text);
    EXPECT_EQ(json::find_string(made, "kind"), "CustomResourceDefinition") << json::to_text(made);
    server_.wait_until_current();
    return made;
  }
  std::string definition_path(const std::string& name = "widgets.example.com") const {
    return std::string(definitions_path) + "/" + name;
  }
  /// Sets the properties of spec in all versions.
  void set_fields(const std::string& fields) const {
    json::Value stored = get(definition_path());
    for (json::Value& version : stored.at("spec").at("versions").get_array()) {
      version.at("schema").at("openAPIV3Schema").at("properties").at("spec").at("properties") =
          parsed("{" + fields + "}");
    }
    const json::Value updated = send("PUT", definition_path(), json::to_text(stored));
    EXPECT_EQ(json::find_string(updated, "kind"), "CustomResourceDefinition") << json::to_text(updated);
    server_.wait_until_current();
  }
  /// Deletes a definition, and waits until its objects are gone or wait for finalizers.
  void remove(const std::string& name = "widgets.example.com") const {
    send("DELETE", definition_path(name));
    server_.wait_until_current();
  }
  bool wait_until_gone(const std::string& name = "widgets.example.com") const {
    const auto gone =
        kube::wait_until(client_, definitions_resource, {"", name}, kube::is_deleted(), within_seconds(2));
    EXPECT_TRUE(gone) << gone.error().message;
    server_.wait_until_current();
    return gone.has_value();
  }

  std::string path(const std::string& name, const std::string& version = "v1") const {
    return "/apis/example.com/" + version + "/namespaces/default/widgets" + (name.empty() ? "" : "/" + name);
  }
  /// Creates a widget. `finalizers`: "[\"example.com/hold\"]".
  json::Value create(const std::string& name, const std::string& spec = "{}",
                     const std::string& finalizers = "[]") const {
    return send("POST", path(""),
                R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" + name +
                    R"(","finalizers":)" + finalizers + R"(},"spec":)" + spec + "}");
  }
  json::Value read(const std::string& name, const std::string& version = "v1") const {
    return get(path(name, version));
  }
  json::Value patch(const std::string& name, const std::string& patch) const {
    return send("PATCH", path(name), patch, "application/merge-patch+json");
  }

 private:
  EmbeddedServer& server_;
  std::shared_ptr<kube::Client> client_;
};

inline const std::string hold = R"(["example.com/hold"])";
inline const std::string release_patch = R"({"metadata":{"finalizers":null}})";

}  // namespace fairway::apiserver::testing
