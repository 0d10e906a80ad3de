// SPDX-License-Identifier: Apache-2.0

// A server that definitions and objects are given to by documents, over HTTP.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "apiserver/server_case.h"
#include "base/file.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/documents.h"
#include "kube/client/resource_mapper.h"
#include "kube/wait/wait_until.h"
#include "support/generous.h"

namespace fairway::conformance {

/// The objects of a file of YAML; throws if it cannot be read.
inline std::vector<k8s::Dynamic> read_objects(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) throw std::runtime_error(text.error().message);
  const auto documents = k8s::read_documents(*text);
  if (!documents) throw std::runtime_error(file.string() + ": " + documents.error().message);
  std::vector<k8s::Dynamic> objects;
  for (const k8s::Document& document : *documents) {
    if (document.value.is_object()) objects.emplace_back(document.value.get_object());
  }
  return objects;
}

class JudgedServer {
 public:
  /// Creates the definitions, and waits until all are established, and then the rest.
  void create_all(const std::vector<std::filesystem::path>& files) {
    std::vector<k8s::Dynamic> definitions, others;
    for (const auto& file : files) {
      for (k8s::Dynamic& object : read_objects(file)) {
        (object.kind() == "CustomResourceDefinition" ? definitions : others).push_back(std::move(object));
      }
    }
    const auto crds = k8s::CustomResourceDefinition::resource.group_version_resource();
    for (const k8s::Dynamic& one : definitions) {
      const auto made = client->create(crds, one, {.validation = kube::FieldValidation::strict});
      EXPECT_TRUE(made) << one.name() << ": " << made.error().message;
    }
    for (const k8s::Dynamic& one : definitions) {
      const auto ready =
          kube::wait_until(client, crds, one.key(), kube::is_ready(),
                           Limits::within(client->clock(), testing::generous(std::chrono::seconds(10))));
      EXPECT_TRUE(ready) << one.name() << ": " << ready.error().message;
    }
    for (const k8s::Dynamic& one : others) {
      const auto made = client->create(resource_of(one), one);
      EXPECT_TRUE(made) << one.name() << ": " << made.error().message;
    }
  }

  /// Throws for a kind that is not served.
  k8s::GroupVersionResource resource_of(const k8s::Dynamic& object) {
    const auto found = mapper.find(object.group_version_kind());
    if (!found) throw std::runtime_error(found.error().message);
    return found->group_version_resource();
  }
  bool is_namespaced(const k8s::Dynamic& object) {
    const auto found = mapper.find(object.group_version_kind());
    return found && found->scope == k8s::Scope::namespaced;
  }

  const std::unique_ptr<apiserver::EmbeddedServer> server =
      apiserver::testing::start_server({.namespace_defaults = false});
  const std::shared_ptr<kube::Client> client =
      apiserver::testing::client_of(*server, {.max_retries = 0, .on_warning = [](std::string_view) {}});
  kube::ResourceMapper mapper{client};
};

}  // namespace fairway::conformance
