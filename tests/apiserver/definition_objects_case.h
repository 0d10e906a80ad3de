// SPDX-License-Identifier: Apache-2.0

// Definitions and their objects on a storage in memory, without a server.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "apiserver/internal/definitions/definition_strategy.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/built_in.h"
#include "apiserver/internal/resources/registry.h"
#include "apiserver/internal/storage/storage.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::apiserver::definitions {

/// The machine's clock, which counts how often it was asked for the time of day.
class CountingClock final : public Clock {
 public:
  WallTime now() const override {
    ++asked;
    return system().now();
  }
  SteadyTime steady() const override { return system().steady(); }
  bool wait_until(SteadyTime until, std::stop_token stop) override {
    return system().wait_until(until, std::move(stop));
  }
  mutable std::atomic<int> asked{0};
};

class OnStorage : public ::testing::Test {
 protected:
  static constexpr const char* widgets = "example.com/widgets";

  OnStorage() {
    for (resources::ServedResource& resource : resources::stored_built_in_resources()) {
      if (resource.kind.kind == "CustomResourceDefinition") {
        resource.strategy = std::make_shared<DefinitionStrategy>();
      }
      registry.put(std::move(resource));
    }
  }

  static json::Object definition() {
    return json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object"}}}]}})")
        ->get_object();
  }
  /// Stores a widget.
  void put(const std::string& name, const std::string& more = "") {
    auto body = storage::Body::of(R"({"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":")" +
                                  name + R"(","namespace":"default")" + more + "}}");
    const auto written = storage->write({{widgets, "default", name}, {}, *body});
    ASSERT_TRUE(written) << written.error().message;
  }
  void put_many(int count, const std::string& more) {
    for (int i = 0; i < count; ++i) put("w" + std::to_string(i), more);
  }
  std::vector<storage::RecordPtr> stored() const { return storage->list({.resource = widgets})->records; }
  std::size_t being_deleted() const {
    std::size_t count = 0;
    for (const storage::RecordPtr& record : stored())
      count += resources::parse(*record).is_being_deleted() ? 1 : 0;
    return count;
  }

  /// The storage. Its ring is small, so that watches are overtaken.
  std::unique_ptr<storage::Storage> storage = storage::open_memory_storage({.ring_events = 8}).value();
  CountingClock clock;
  resources::ResourceRegistry registry;
  objects::Objects objects{*storage, registry, clock, [] { return 0.5; }};
};

inline const std::string held = R"(,"finalizers":["example.com/hold"])";

}  // namespace fairway::apiserver::definitions
