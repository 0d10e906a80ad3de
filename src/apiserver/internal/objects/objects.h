// SPDX-License-Identifier: Apache-2.0

// The life of objects: created, updated and deleted by the rules that all kinds share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/user.h"
#include "apiserver/internal/flow/waits.h"
#include "apiserver/internal/objects/namespace_locks.h"
#include "apiserver/internal/objects/selected.h"
#include "apiserver/internal/objects/write_admission.h"
#include "apiserver/internal/resources/registry.h"
#include "apiserver/internal/resources/service_addresses.h"
#include "apiserver/internal/resources/stored_object.h"
#include "apiserver/internal/resources/write_scope.h"
#include "apiserver/internal/storage/storage.h"
#include "base/clock.h"
#include "base/random.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver::objects {

/// The user of a write, and its options.
struct WriteContext {
  access::User user;
  /// Manager for managedFields: "kubectl-edit".
  std::string field_manager;
  /// Verb of the request ("update", "patch"), where a check of the write depends on it.
  std::string verb = {};
  bool dry_run = false;
  /// True if it is a server-side apply: an object that is too large is refused, where other writes are stored
  /// without managedFields.
  bool is_apply = false;
  /// Part of the disk's quota that each write may use at least.
  storage::Room room = storage::Room::ordinary;
  k8s::FieldValidation validation = k8s::FieldValidation::server_default;
  /// List to which warnings for the client are added.
  std::vector<std::string>* warnings = nullptr;
  /// Webhooks and policies; null: there are none.
  WriteAdmission* admission = nullptr;
};

/// The result of a write.
struct Outcome {
  /// The object in the version of the resource, or the Status of a delete that returns one.
  std::shared_ptr<const std::string> text;
  bool created = false;
  /// True if a delete has removed the object.
  bool gone = false;
};

/// Makes the new state of an object from the current one (null: there is none). Called again if somebody else
/// has written the object meanwhile.
using Transform = std::function<k8s::StatusResult<k8s::Dynamic>(const k8s::Dynamic* current)>;

/// The stage at which a `WriteCheck` is called. The order decides which refusal a writer sees, and is
/// kube-apiserver's.
enum class WriteStage {
  sent,       ///< The object as the writer sent it and admission changed it.
  completed,  ///< The object with what the server sets, before it is validated.
  valid,      ///< The object, found valid.
};

/// The write that a `WriteCheck` checks.
struct CheckedWrite {
  const WriteContext& context;
  const resources::ServedResource& resource;
  const k8s::Dynamic& object;
  /// The stored object; null for a create.
  const k8s::Dynamic* old = nullptr;
  resources::Part part = resources::Part::object;
  /// The name in the path of the request; empty for a POST.
  std::string_view request_name = {};
};

/// Checks whether a user may write this object, besides their right to the verb. Returns the Status that
/// refuses it.
using WriteCheck = std::function<k8s::StatusResult<void>(const CheckedWrite& write)>;

/// Creates, updates and deletes objects. Safe from all threads.
/// Rules: k8s.io/apiserver/pkg/registry/generic/registry/store.go and pkg/registry/rest.
class Objects {
 public:
  /// Makes the objects of a storage. All arguments must outlive this.
  Objects(storage::Storage& storage, const resources::ResourceRegistry& registry, Clock& clock,
          Random random);

  /// Sets a check of each create and update of objects that are stored under the group. Call it before the
  /// first request.
  void set_write_check(std::string_view group, WriteStage stage, WriteCheck check) {
    write_checks_.push_back({std::string(group) + "/", stage, std::move(check)});
  }

  /// Sets the network from which Services get their addresses. Call it before the first request.
  void set_service_network(const resources::ServiceNetwork& network) { services_.set_network(network); }
  const resources::ServiceNetwork& service_network() const { return services_.network(); }

  /// Sets whether ResourceQuotas count. Call it before the first request.
  /// Creates the ServiceAccount `default` of a namespace that lacks it, if `set_namespace_accounts` was
  /// called with true. Where it fails, the controller of the defaults of namespaces has it made later.
  void give_account(const std::string& namespace_name);
  void set_resource_quotas(bool count) { has_quotas_ = count; }
  /// Sets whether the bounds of LimitRanges refuse what does not keep them.
  void set_limit_ranges(bool refuse) { has_limits_ = refuse; }

  /// Sets whether a new namespace has its ServiceAccount `default` when the create returns: a Pod may follow
  /// at once. Call it before the first request.
  void set_namespace_accounts(bool give) { gives_accounts_ = give; }

  /// Waits until nothing is being charged to the ResourceQuotas of a namespace. Nothing is until the result
  /// is destroyed: what is counted meanwhile stays right.
  NamespaceLocks::Held hold_quotas(const std::string& namespace_name) { return locks_.own(namespace_name); }

  /// The places of requests that wait for kubelets and webhooks.
  flow::Waits& waits() { return waits_; }

  storage::Storage& storage() { return storage_; }
  const resources::ResourceRegistry& registry() const { return registry_; }
  Clock& clock() const { return clock_; }

  /// Finds an object; null if there is none. Errors: the Status of a failed read.
  k8s::StatusResult<storage::RecordPtr> find(const resources::ServedResource& resource, const k8s::Key& key);

  /// Creates an object. With `generateName` and no name, it is given one.
  k8s::StatusResult<Outcome> create(const resources::ServedResource& resource, k8s::Dynamic object,
                                    const WriteContext& context) {
    return create(resource, std::move(object), context, {});
  }

  struct UpdateRequest {
    k8s::Key key;
    resources::Part part = resources::Part::object;
    Transform transform;
    /// True if an update creates the object if it does not exist; never for a PATCH.
    bool may_create = false;
    /// Checks a valid object before it is created: returns a Status that refuses it. Empty: a user who may
    /// update may create.
    std::function<k8s::StatusResult<void>()> check_create = {};
    /// True if it is retried after conflicts, as patches are, where the new state has no resourceVersion; see
    /// `transform`.
    bool retry = true;
    /// True for "/finalize" of a Namespace: spec.finalizers may change.
    bool finalize = false;
    /// True if the result of `transform` is stored as it is: the server's own change, by a subresource that
    /// shows no part of the object (`binding`).
    bool as_is = false;
  };
  k8s::StatusResult<Outcome> update(const resources::ServedResource& resource, const UpdateRequest& request,
                                    const WriteContext& context);

  k8s::StatusResult<Outcome> remove(const resources::ServedResource& resource, const k8s::Key& key,
                                    const k8s::DeleteOptions& options, const WriteContext& context);

  /// An object that is to be deleted, one of many.
  struct Removal {
    resources::ServedResourcePtr resource;
    k8s::Key key;
    k8s::DeleteOptions options;
  };
  /// Deletes several objects, each by itself; their writes share commits. The results are in the order of
  /// `removals`.
  std::vector<k8s::StatusResult<Outcome>> remove_all(std::span<const Removal> removals,
                                                     const WriteContext& context);

  /// Returns a number from [0, 1).
  double random();
  /// Makes a new uid.
  std::string make_uid();

 private:
  struct Removing;

  /// The facts that a create has from the PUT or PATCH that it comes from.
  struct Creation {
    /// The name in the path.
    std::string_view request_name = {};
    /// Check of the created object (`UpdateRequest::check_create`).
    std::function<k8s::StatusResult<void>()> check = {};
    /// True for an update, whose object may have a resourceVersion.
    bool is_update = false;
  };
  k8s::StatusResult<Outcome> create(const resources::ServedResource& resource, k8s::Dynamic object,
                                    const WriteContext& context, const Creation& creation);
  /// Does the rest of a create, after the mutating admission.
  k8s::StatusResult<Outcome> create_admitted(const resources::ServedResource& resource, k8s::Dynamic object,
                                             const WriteContext& context, const Creation& creation);
  std::string make_name_suffix();
  /// Returns the facts that the rules of a kind see besides the object that is written.
  resources::WriteScope scope_of(const WriteContext& context) {
    return {.storage = storage_, .services = services_, .random = random_number_, .dry_run = context.dry_run};
  }
  k8s::StatusResult<void> check_write(WriteStage stage, const CheckedWrite& write) const;
  /// Adds the warnings about a valid object for the client.
  static void warn(const WriteContext& context, const resources::ServedResource& resource,
                   const k8s::Dynamic& object, const k8s::Dynamic* old);
  /// Returns the namespace in which an object is to be created; null if the kind has none. Errors: it does
  /// not exist, or is being terminated.
  k8s::StatusResult<storage::RecordPtr> check_namespace(const resources::ServedResource& resource,
                                                        const k8s::Dynamic& object);
  k8s::StatusResult<Outcome> outcome_of(const storage::RecordPtr& record,
                                        const resources::ServedResource& resource);
  /// Returns the change that stores an object, which is in the version of the request.
  k8s::StatusResult<storage::Change> change_to(const k8s::Dynamic& object,
                                               const resources::ServedResource& resource,
                                               storage::Precondition precondition, bool needs_owners = false);
  /// Returns the part of the disk's quota that a change may use which writes `object` over `current` (null: a
  /// create). `was_being_deleted`: the stored object was being deleted already.
  static storage::Room room_of(const storage::Change& change, const resources::ServedResource& resource,
                               const k8s::Dynamic& object, const storage::Record* current,
                               bool was_being_deleted, const WriteContext& context);
  k8s::StatusResult<storage::Written> write(storage::Change change);
  k8s::StatusResult<storage::Written> write(std::vector<storage::Change> changes);
  /// A write that ResourceQuotas count. `old` is null for a create.
  struct Charged {
    const resources::ServedResource& resource;
    const k8s::Dynamic& object;
    const k8s::Dynamic* old = nullptr;
    resources::Part part = resources::Part::object;
  };
  /// Refuses (403) a write that does not keep the LimitRanges of its namespace.
  k8s::StatusResult<void> check_limits(const Charged& written);
  /// Returns whether a ResourceQuota may count a write.
  bool is_charged(const Charged& charged) const;
  k8s::StatusResult<std::vector<storage::RecordPtr>> quotas_in(const std::string& namespace_name);
  /// Returns the changes of the ResourceQuotas that a write counts in, to be written with it. Errors: 403
  /// where one of them does not allow the write.
  k8s::StatusResult<std::vector<storage::Change>> charge_quotas(const Charged& charged);
  /// Writes changes, and what they are charged. One writer after the other charges the quotas of a namespace.
  /// A conflict of the result is one of `changes`.
  k8s::StatusResult<storage::Written> write_charged(const std::vector<storage::Change>& changes,
                                                    const Charged& charged);
  /// Writes a new object, in a namespace that exists and is not being terminated at that moment, and that has
  /// room for it.
  k8s::StatusResult<storage::Written> write_new(const storage::Change& change,
                                                const resources::ServedResource& resource,
                                                const k8s::Dynamic& object);
  k8s::StatusResult<Removing> begin_removal(const resources::ServedResource& resource, const k8s::Key& key,
                                            const k8s::DeleteOptions& options, const WriteContext& context);
  k8s::StatusResult<void> prepare_update(k8s::Dynamic& object, const k8s::Dynamic& old,
                                         const resources::ServedResource& resource,
                                         const UpdateRequest& request, const WriteContext& context);
  k8s::StatusResult<Outcome> store_update(k8s::Dynamic object, const k8s::Dynamic& old,
                                          const storage::RecordPtr& current,
                                          const resources::ServedResource& resource, resources::Part part,
                                          const WriteContext& context, bool& conflict);

  flow::Waits waits_;
  storage::Storage& storage_;
  const resources::ResourceRegistry& registry_;
  Clock& clock_;
  struct StagedCheck {
    /// The beginning of `ServedResource::storage`.
    std::string prefix;
    WriteStage stage;
    WriteCheck check;
  };
  std::vector<StagedCheck> write_checks_;
  resources::ServiceAddresses services_;
  bool has_quotas_ = true, has_limits_ = true;
  std::mutex random_mutex_;
  Random random_;
  const Random random_number_ = [this] { return random(); };
  NamespaceLocks locks_;
  bool gives_accounts_ = false;
};

/// Returns the key under which an object is stored.
storage::Key storage_key(const resources::ServedResource& resource, const k8s::Key& key);

}  // namespace fairway::apiserver::objects
