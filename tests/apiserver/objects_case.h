// SPDX-License-Identifier: Apache-2.0

// Objects on a storage with faults, without a server around them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "apiserver/faulty_storage.h"
#include "apiserver/hooked_storage.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/built_in.h"
#include "base/random.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {

/// Objects on a storage whose rings are short: a watch that is four events behind is overtaken.
class WithObjects : public ::testing::Test {
 protected:
  WithObjects() {
    for (resources::ServedResource& resource : resources::stored_built_in_resources())
      registry.put(std::move(resource));
    make_namespace("default");
  }

  resources::ServedResourcePtr find(const std::string& plural) const {
    return registry.find({"", "v1", plural});
  }

  k8s::Dynamic make(const std::string& plural, const std::string& name, const k8s::Dynamic* owner = nullptr,
                    const std::string& finalizer = "", const std::string& in_namespace = "default") {
    const resources::ServedResourcePtr resource = find(plural);
    k8s::Dynamic object;
    object.set("kind", resource->kind.kind);
    object.set("apiVersion", "v1");
    object.set_name(name);
    if (resource->is_namespaced()) object.set_namespace_name(in_namespace);
    if (owner != nullptr) {
      EXPECT_TRUE(object.set_owner(*owner, false));
    }
    if (!finalizer.empty()) object.add_finalizer(finalizer);
    const auto made = objects.create(*resource, std::move(object), {});
    if (!made) throw std::runtime_error(made.error().to_text());
    return k8s::Dynamic::parse(*made->text).value();
  }
  void make_namespace(const std::string& name) { make("namespaces", name); }
  /// Makes an object whose owner is already gone.
  void make_lost(const std::string& plural, const std::string& name) {
    const k8s::Dynamic owner = make(plural, "gone");
    remove(plural, "gone");
    make(plural, name, &owner);
  }
  void remove(const std::string& plural, const std::string& name,
              const std::string& in_namespace = "default") {
    const resources::ServedResourcePtr resource = find(plural);
    const auto done =
        objects.remove(*resource, {resource->is_namespaced() ? in_namespace : "", name}, {}, {});
    if (!done) throw std::runtime_error(done.error().to_text());
  }
  void release(const std::string& plural, const k8s::Key& key) {
    const auto done = objects.update(*find(plural),
                                     {.key = key,
                                      .transform =
                                          [](const k8s::Dynamic* current) {
                                            k8s::Dynamic changed = *current;
                                            changed.erase("metadata.finalizers");
                                            return changed;
                                          }},
                                     {});
    if (!done) throw std::runtime_error(done.error().to_text());
  }

  /// Returns an object as it is stored, whatever faults there are.
  std::optional<k8s::Dynamic> stored(const std::string& plural, const std::string& name,
                                     const std::string& in_namespace = "default") const {
    const auto found = memory->get({plural, find(plural)->is_namespaced() ? in_namespace : "", name});
    if (!found || *found == nullptr) return std::nullopt;
    return resources::parse(**found);
  }

  /// Waits for a change of a resource after which `is_so` holds. Returns false if there is none.
  bool wait_until(const std::string& plural, const std::function<bool()>& is_so) const {
    const Limits limits =
        Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(6)));
    while (!limits.expired(Clock::system())) {
      const auto watch =
          memory->watch({.resource = plural, .namespace_name = "", .from = memory->revision()});
      if (is_so()) return true;
      if (!watch) return false;
      (*watch)->next(Clock::system(), limits);
    }
    return is_so();
  }
  bool wait_until_gone(const std::string& plural, const std::string& name,
                       const std::string& in_namespace = "default") const {
    return wait_until(plural, [&] { return !stored(plural, name, in_namespace); });
  }

 private:
  static std::unique_ptr<storage::Storage> open() {
    auto opened = storage::open_memory_storage({.ring_events = 4});
    if (!opened) throw std::runtime_error(opened.error().message);
    return *std::move(opened);
  }
  std::unique_ptr<storage::Storage> opened_ = open();

 protected:
  /// The storage itself; with faults; and with hooks, as the objects use it.
  storage::Storage* const memory = opened_.get();
  storage::FaultyStorage faulty{std::move(opened_), {}};
  HookedStorage hooked{faulty};
  resources::ResourceRegistry registry;
  objects::Objects objects{hooked, registry, Clock::system(), system_random()};
};

}  // namespace fairway::apiserver::testing
