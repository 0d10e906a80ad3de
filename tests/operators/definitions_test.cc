// SPDX-License-Identifier: Apache-2.0

// The CRDs, registered at the API server of this project and tried with OpenShift's own tests of them.
#include "operators/definitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "k8s/documents.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "openshift/cluster_version.h"
#include "operators/update_case.h"
#include "support/is_ok.h"
#include "support/shared_data.h"
#include "support/temp_directory.h"
#include "testing/api_server.h"

namespace fairway::operators::testing {
namespace {

/// Test with an API server that has the definitions.
class DefinitionsCase : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = fairway::testing::ApiServer::start();
    ASSERT_OK(server);
    server_ = *std::move(server);
    ASSERT_OK(server_->apply(definitions(), "definitions"));
    client_ = server_->client();
    const auto documents = k8s::read_documents(definitions());
    ASSERT_TRUE(documents) << documents.error().message;
    for (const k8s::Document& document : *documents) {
      if (text(member(member(document.value, "spec"), "names"), "kind") == "ClusterVersion")
        schema_ = member(member(member(document.value, "spec"), "versions").as_array().at(0), "schema");
    }
  }

  /// Returns a member of an object that its schema does not have; std::nullopt: there is none.
  static std::optional<std::string> unknown_member(const json::Value& value, const json::Value& schema,
                                                   const std::string& path = "") {
    if (value.is_array()) {
      for (const json::Value& item : value.as_array()) {
        if (auto found = unknown_member(item, member(schema, "items"), path)) return found;
      }
    }
    if (!value.is_object()) return std::nullopt;
    const json::Value& properties = member(schema, "properties");
    if (properties.is_null()) return std::nullopt;
    for (const auto& [key, inner] : value.as_object()) {
      const json::Value* known = json::find(properties, key);
      std::string place = path + "." + std::string(key);
      if (known == nullptr) return place;
      if (auto found = unknown_member(inner, *known, place)) return found;
    }
    return std::nullopt;
  }

  static json::Value document_of(const json::Value& test, std::string_view key) {
    const auto documents = k8s::read_documents(text(test, key));
    if (!documents || documents->size() != 1) throw std::runtime_error("no document " + std::string(key));
    return documents->front().value;
  }

  kube::ApiResult<k8s::Dynamic> write(const json::Value& document, const k8s::Dynamic* before) {
    k8s::Dynamic object(document.as_object());
    object.set_name("version");
    if (before == nullptr) return client_->create(kind_, object);
    object.set_resource_version(before->resource_version());
    return client_->replace(kind_, object);
  }
  kube::ApiResult<k8s::Dynamic> write_status(const json::Value& document, k8s::Dynamic object) {
    const json::Value* status = json::find(document, "status");
    if (status == nullptr) return object;
    object.set("status", *status);
    return client_->replace(kind_, object, "status");
  }

  /// Returns whether a message contains a text. Older servers print values as Go's types, newer ones as JSON.
  static bool says(const std::string& message, const std::string& wanted) {
    return message.contains(wanted) || message.contains(replaced(wanted, "map[string]interface {}{", "{"));
  }

  /// Returns what is wrong; empty: nothing.
  std::string judge(const json::Value& test, bool update) {
    [[maybe_unused]] const auto removed = client_->remove(kind_, {"", "version"});  // of the test before
    const json::Value initial = document_of(test, "initial");
    auto object = write(initial, nullptr);
    if (object && update) {
      object = write_status(initial, *std::move(object));
      if (!object) return "the initial object is refused: " + object.error().message;
      const json::Value updated = document_of(test, "updated");
      object = write(updated, &*object);
      if (object) {
        auto status = write_status(updated, *object);
        const std::string wanted = text(test, "expectedStatusError");
        if (!status) {
          if (wanted.empty()) return "the status is refused: " + status.error().message;
          return says(status.error().message, wanted) ? "" : "another error: " + status.error().message;
        }
        if (!wanted.empty()) return "the status is taken, not refused with: " + wanted;
        object = std::move(status);
      }
    }
    const std::string wanted = text(test, "expectedError");
    if (!object) {
      if (wanted.empty()) return "refused: " + object.error().message;
      return says(object.error().message, wanted) ? "" : "another error: " + object.error().message;
    }
    if (!wanted.empty()) return "taken, not refused with: " + wanted;
    json::Object got = object->release();
    got.erase("metadata");
    const json::Value expected = document_of(test, "expected");
    if (json::Value(got) == expected) return "";
    return json::to_text(got) + ", expected " + json::to_text(expected);
  }

  const fairway::testing::TempDirectory folder_;
  std::unique_ptr<fairway::testing::ApiServer> server_;
  std::shared_ptr<kube::Client> client_;
  json::Value schema_;
  const k8s::GroupVersionResource kind_ = openshift::ClusterVersion::resource.group_version_resource();
};

TEST_F(DefinitionsCase, PassTheTestsOfOpenShift) {
  const auto folder = fairway::testing::shared_path("data/operator/crd/tests");
  FAIRWAY_NEEDS_SHARED(folder);
  std::size_t passed = 0, all = 0, skipped = 0;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  const json::Value& schema = member(schema_, "openAPIV3Schema");
  for (const auto& file : files) {
    const auto content = read_file(file.string());
    ASSERT_TRUE(content) << content.error().message;
    const auto documents = k8s::read_documents(*content);
    ASSERT_TRUE(documents) << documents.error().message;
    const json::Value& suites = member(documents->front().value, "tests");
    for (const char* suite : {"onCreate", "onUpdate"}) {
      if (!member(suites, suite).is_array()) continue;
      for (const json::Value& test : member(suites, suite).as_array()) {
        const std::string name = file.filename().string() + ": " + text(test, "name");
        SCOPED_TRACE(name);
        std::optional<std::string> unknown;
        for (const char* part : {"initial", "updated", "expected"}) {
          if (!unknown && json::find(test, part) != nullptr)
            unknown = unknown_member(document_of(test, part), schema);
        }
        if (unknown) {
          ++skipped;
          continue;
        }
        ++all;
        const std::string fault = judge(test, std::string_view(suite) == "onUpdate");
        passed += fault.empty() ? 1 : 0;
        EXPECT_EQ(fault, "");
      }
    }
  }
  std::printf("crd tests: %zu of %zu passed, %zu are about fields that the definitions lack\n", passed, all,
              skipped);
  EXPECT_GT(all, 0U);
}

TEST_F(DefinitionsCase, HaveChannelsAndClusterOperators) {
  const auto create = [&](const char* text) {
    const auto applied = server_->apply(text, "object");
    return applied ? std::string() : applied.error().message;
  };
  EXPECT_EQ(create(R"({"apiVersion":"config.openshift.io/v1","kind":"Channel",)"
                   R"("metadata":{"name":"stable-4.7"},"spec":{}})"),
            "");
  EXPECT_NE(create(R"({"apiVersion":"config.openshift.io/v1","kind":"Channel",)"
                   R"("metadata":{"name":"fast-4.7"}})")
                .find("spec"),
            std::string::npos);
  EXPECT_EQ(create(R"({"apiVersion":"config.openshift.io/v1","kind":"ClusterOperator",)"
                   R"("metadata":{"name":"dns"},"spec":{}})"),
            "");
}

}  // namespace
}  // namespace fairway::operators::testing
