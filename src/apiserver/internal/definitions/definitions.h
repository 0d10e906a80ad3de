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

/// Follows the stored definitions on a thread of its own: gives them their names, registers the resources of
/// those that are established, and removes the objects of those that are deleted before they go.
///
/// What a definition does not change keeps its registered resource, so that its watches and compiled schemas
/// stay. A definition in a built-in group gets its names and conditions, and nothing else: as in Kubernetes,
/// all paths of such a group are the server's own.
class Definitions {
 public:
  /// All must outlive this.
  Definitions(Objects& objects, ResourceRegistry& registry);
  ~Definitions();

  /// Registers what is stored, then follows changes. Errors: the storage could not be read.
  Result<void> start();
  /// Waits until all writes so far are taken into account: a definition that was created is served then, and
  /// the objects of one that was deleted are gone but for those with finalizers. False: stopped before.
  bool wait_until_current(const std::stop_token& stop);

 private:
  struct Served {
    json::Value part;  ///< what they are made of
    std::vector<k8s::GroupVersionResource> resources;
    std::stop_source retired;  ///< ends the watches of these resources
    std::shared_ptr<CreationGate> gate = std::make_shared<CreationGate>();
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

  Objects& objects_;
  ResourceRegistry& registry_;
  const ServedResourcePtr resource_;  ///< that of definitions

  // Of the thread, and of `start` before it.
  std::map<std::string, k8s::Dynamic> known_;
  std::map<std::string, Served> served_;
  std::unique_ptr<storage::Watch> watch_;
  /// Of definitions that are being deleted.
  std::map<std::string, std::unique_ptr<Removal>> removals_;
  std::set<std::string> due_;  ///< what could not be written is tried again
  bool is_reported_ = false;   ///< that definitions cannot be read

  std::mutex mutex_;
  TimedCondition changed_;
  bool awake_ = true;              ///< a watch has something, or somebody waits for what there is
  bool settled_ = true;            ///< no batch of a removal is outstanding
  storage::Revision current_ = 0;  ///< everything up to here is taken into account
  std::jthread thread_;
};

}  // namespace fairway::apiserver::definitions
