// Serves what CustomResourceDefinitions define.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/objects/internal/objects.h"
#include "apiserver/resources/internal/registry.h"
#include "apiserver/storage/watch.h"
#include "base/result.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::definitions {

/// Follows the stored definitions on a thread of its own: gives them their names, registers the resources of
/// those that are established, and removes the objects of those that are deleted before they go.
///
/// What a definition does not change keeps its registered resource, so that its watches and compiled schemas
/// stay.
class Definitions {
 public:
  /// All must outlive this.
  Definitions(Objects& objects, ResourceRegistry& registry);
  ~Definitions();

  /// Registers what is stored, then follows changes. Errors: the storage could not be read.
  Result<void> start();
  /// Waits until all writes so far are taken into account: a definition that was created is served then.
  /// False: stopped before.
  bool wait_until_current(const std::stop_token& stop);

 private:
  struct Served {
    json::Value part;  ///< what they are made of
    std::vector<k8s::GroupVersionResource> resources;
  };

  void run(const std::stop_token& stop);
  void wake();
  Result<void> list_and_watch();
  void follow();
  void handle(const storage::Event& event);
  void reconcile(const k8s::Dynamic& definition);
  void give_names(const k8s::Dynamic& definition);
  void serve(const k8s::CustomResourceDefinition& definition);
  void withdraw(const std::string& name);
  void remove_objects(const std::string& name);

  Objects& objects_;
  ResourceRegistry& registry_;
  const ServedResourcePtr resource_;  ///< that of definitions

  // Of the thread, and of `start` before it.
  std::map<std::string, k8s::Dynamic> known_;
  std::map<std::string, Served> served_;
  std::unique_ptr<storage::Watch> watch_;
  /// Watches of the objects of definitions that are being deleted.
  std::map<std::string, std::unique_ptr<storage::Watch>> terminating_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool awake_ = true;              ///< a watch has something
  storage::Revision current_ = 0;  ///< everything up to here is taken into account
  std::jthread thread_;
};

}  // namespace fairway::apiserver::definitions
