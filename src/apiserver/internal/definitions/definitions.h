// SPDX-License-Identifier: Apache-2.0

// Serves what CustomResourceDefinitions define.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/internal/definitions/removal.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/registry.h"
#include "apiserver/internal/storage/watch.h"
#include "base/result.h"
#include "base/timed_condition.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::definitions {

/// Follows the stored definitions on a thread of its own. It gives them their names, registers the resources
/// of established ones, and removes the objects of deleted ones before the definitions go.
///
/// A change of a definition that does not affect its resources keeps them registered, with their watches and
/// compiled schemas. A definition in a built-in group gets only its names and conditions: as in Kubernetes,
/// all paths of such a group are the server's own.
class Definitions {
 public:
  /// Makes the follower. `objects` and `registry` must outlive it.
  Definitions(objects::Objects& objects, resources::ResourceRegistry& registry);
  ~Definitions();

  /// Registers the stored definitions, then follows changes. Errors: the storage could not be read.
  Result<void> start();
  /// Waits until all writes so far are handled: a created definition is served then, and the objects of a
  /// deleted one are gone, except those with finalizers. Returns false if stopped before.
  bool wait_until_current(const std::stop_token& stop);

 private:
  struct Served {
    json::Value part;  ///< the part of the definition that they are made from
    std::vector<k8s::GroupVersionResource> resources;
    std::stop_source retired;  ///< ends the watches of these resources
    std::shared_ptr<resources::CreationGate> gate = std::make_shared<resources::CreationGate>();
  };

  void run(const std::stop_token& stop);
  void wake();
  Result<void> list_and_watch();
  bool follow();
  void publish(storage::Revision revision);
  void handle(const storage::Event& event);
  void reconcile(const k8s::Dynamic& definition);
  bool reconcile_due();
  void give_names(const k8s::Dynamic& definition);
  void serve(const k8s::CustomResourceDefinition& definition);
  void withdraw(const std::string& name);
  void begin_removal(const k8s::CustomResourceDefinition& definition);
  Removal::Step remove_objects(const std::string& name, const std::stop_token& stop);
  bool release(const std::string& name);
  bool write_status(const k8s::Dynamic& definition,
                    const std::function<void(k8s::Dynamic& definition)>& change);

  objects::Objects& objects_;
  resources::ResourceRegistry& registry_;
  const resources::ServedResourcePtr resource_;  ///< the resource of definitions

  // Of the thread, and of `start` before it.
  std::map<std::string, k8s::Dynamic> known_;
  std::map<std::string, Served> served_;
  std::unique_ptr<storage::Watch> watch_;
  /// Removals of the objects of definitions that are being deleted.
  std::map<std::string, std::unique_ptr<Removal>> removals_;
  std::set<std::string> due_;  ///< definitions that could not be written and are retried
  bool is_reported_ = false;   ///< true once it is logged that definitions cannot be read

  std::mutex mutex_;
  TimedCondition changed_;
  bool awake_ = true;              ///< a watch has events, or somebody waits for the current state
  bool settled_ = true;            ///< no batch of a removal is outstanding
  storage::Revision current_ = 0;  ///< everything up to here is handled
  std::jthread thread_;
};

}  // namespace fairway::apiserver::definitions
