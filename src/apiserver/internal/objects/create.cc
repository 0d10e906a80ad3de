// SPDX-License-Identifier: Apache-2.0

// How an object begins: rest.BeforeCreate and Store.Create.
#include <algorithm>
#include <shared_mutex>

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "apiserver/internal/objects/given_version.h"
#include "apiserver/internal/objects/metadata_rules.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"
#include "base/log.h"
#include "base/utf8_prefix.h"
#include "k8s/wire/status_errors.h"
#include "schema/prune_metadata.h"

namespace fairway::apiserver::objects {
namespace {

/// The longest prefix of a generated name (63 is the longest label, 5 are generated).
constexpr std::size_t longest_prefix = 58;
/// Number of attempts to find a free name.
constexpr int name_attempts = 8;
/// Number of changes of its namespace after which a write is refused.
constexpr int namespace_attempts = 64;

/// Sets the status that a new object has. Go writes that of a built-in kind even if it is empty.
void clear_status(k8s::Dynamic& object, const resources::ServedResource& resource) {
  object.erase("status");
  // Definitions get theirs when they are given their names.
  if (resource.is_custom || resource.kind.group == "apiextensions.k8s.io") return;
  const kinds::MessageType* type = kinds::Kinds::find(resource.kind);
  const kinds::Field* status = type != nullptr ? type->find("status") : nullptr;
  if (status == nullptr || status->pointer || status->type != kinds::FieldType::message) return;
  if (auto empty = kinds::read_typed(json::Object{}, *status->message))
    object.set("status", *std::move(empty));
}

k8s::Status terminating(const resources::ServedResource& resource, const k8s::Dynamic& object) {
  return k8s::answer::forbidden(resource.group_resource(), object.name(),
                                "create not allowed while custom resource definition is terminating");
}

}  // namespace

k8s::StatusResult<storage::RecordPtr> Objects::check_namespace(const resources::ServedResource& resource,
                                                               const k8s::Dynamic& object) {
  if (!resource.is_namespaced()) return nullptr;
  const std::string name(object.namespace_name());
  auto found = storage_.get({"namespaces", "", name});
  if (!found) return std::unexpected(resources::status_of(found.error()));
  if (*found == nullptr) return std::unexpected(k8s::answer::not_found({"", "namespaces"}, name));
  // Every write in a namespace comes by here: look closer only where the text may be there.
  if ((*found)->json().find("\"deletionTimestamp\"") == std::string::npos) return *std::move(found);
  if (!resources::parse(**found).is_being_deleted()) return *std::move(found);
  k8s::Status status = k8s::answer::forbidden(
      resource.group_resource(), object.name(),
      "unable to create new content in namespace " + name + " because it is being terminated");
  status.add_cause("NamespaceTerminating", "namespace " + name + " is being terminated",
                   "metadata.namespace");
  return std::unexpected(std::move(status));
}

k8s::StatusResult<storage::Written> Objects::write_new(const storage::Change& change,
                                                       const resources::ServedResource& resource,
                                                       const k8s::Dynamic& object) {
  for (int attempt = 0; attempt < namespace_attempts; ++attempt) {
    const auto place = check_namespace(resource, object);
    if (!place) return std::unexpected(place.error());
    if (*place == nullptr) return write(change);
    // Otherwise a namespace that is emptied now could go before this is there, and would leave it behind.
    const std::vector<storage::Change> changes{
        change,
        storage::Change::require({"namespaces", "", std::string((*place)->name())}, (*place)->revision())};
    auto written = write_charged(changes, {.resource = resource, .object = object});
    if (!written || !written->conflict || written->conflict->change == 0) return written;
  }
  return std::unexpected(k8s::answer::conflict(resource.group_resource(), object.name(),
                                               "its namespace was changed by others all the time"));
}

void Objects::give_account(const std::string& namespace_name) {
  const resources::ServedResourcePtr accounts = registry_.find({"", "v1", "serviceaccounts"});
  if (!gives_accounts_ || accounts == nullptr) return;
  if (const auto found = find(*accounts, {namespace_name, "default"}); found && *found != nullptr) return;
  k8s::Dynamic account;
  account.set("kind", "ServiceAccount");
  account.set("apiVersion", "v1");
  account.set_name("default");
  account.set_namespace_name(namespace_name);
  const WriteContext context{.user = {.name = "system:serviceaccount:kube-system:service-account-controller",
                                      .groups = {std::string(access::masters_group)}}};
  if (const auto made = create(*accounts, std::move(account), context);
      // There is none to be in a namespace that ends.
      !made && !made.error().is_failure(k8s::reason::already_exists) &&
      !made.error().is_failure(k8s::reason::forbidden)) {
    log::warning("creating the ServiceAccount default of a namespace, which is tried again",
                 {{"namespace", namespace_name}, {"error", std::string(made.error().message())}});
  }
}

k8s::StatusResult<Outcome> Objects::create(const resources::ServedResource& resource, k8s::Dynamic object,
                                           const WriteContext& context, const Creation& creation) {
  if (context.admission != nullptr) {
    // Nobody is asked about what cannot be made.
    if (auto checked = check_namespace(resource, object); !checked) return std::unexpected(checked.error());
    if (auto admitted = context.admission->mutate(resource, object, nullptr); !admitted) {
      return std::unexpected(admitted.error());
    }
  }
  return create_admitted(resource, std::move(object), context, creation);
}

k8s::StatusResult<Outcome> Objects::create_admitted(const resources::ServedResource& resource,
                                                    k8s::Dynamic object, const WriteContext& context,
                                                    const Creation& creation) {
  if (resource.creation_gate != nullptr && resource.creation_gate->is_closed()) {
    return std::unexpected(terminating(resource, object));
  }
  if (!resource.is_namespaced()) object.erase("metadata.namespace");
  if (auto checked = check_namespace(resource, object); !checked) return std::unexpected(checked.error());
  const CheckedWrite checked_write{
      .context = context, .resource = resource, .object = object, .request_name = creation.request_name};
  if (auto checked = check_write(WriteStage::sent, checked_write); !checked) {
    return std::unexpected(checked.error());
  }
  const resources::WriteScope scope = scope_of(context);
  if (auto done = resource.strategy->complete(object, scope); !done) return std::unexpected(done.error());
  // Until it is stored, or not.
  const auto allocation = resource.strategy->allocate(object, nullptr, scope);
  if (!allocation) return std::unexpected(allocation.error());
  for (const std::string_view field : {"metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds",
                                       "metadata.selfLink", "metadata.generation"}) {
    object.erase(field);
  }
  if (resource.find_subresource("status") != nullptr && !resource.strategy->begins_with_status()) {
    clear_status(object, resource);
  }
  if (resource.has_generation) object.set("metadata.generation", json::Value(1));
  resource.strategy->prepare_for_create(object);
  resource.strategy->stamp(object, nullptr, {.user = context.user, .now = clock_.now()});
  object.set("metadata.uid", make_uid());
  object.set_time("metadata.creationTimestamp", clock_.now());

  if (auto checked = check_write(WriteStage::completed, checked_write); !checked) {
    return std::unexpected(checked.error());
  }
  const std::string prefix(object.generate_name());
  const bool generates = object.name().empty() && !prefix.empty();
  for (int attempt = 1;; ++attempt) {
    const std::string taken_name(object.name());
    if (generates) object.set_name(std::string(utf8_prefix(prefix, longest_prefix)) + make_name_suffix());
    resource.strategy->identify(object, generates ? taken_name : std::string_view());
    std::vector<k8s::FieldError> errors = check_metadata(object, resource);
    if (errors.empty()) schema::prune_metadata(object.json(), {});
    for (k8s::FieldError& error : resource.strategy->validate(object, nullptr, resources::Part::object)) {
      errors.push_back(std::move(error));
    }
    if (!errors.empty()) {
      return std::unexpected(k8s::answer::invalid(resource.storage_kind.group_kind(), object.name(), errors));
    }
    if (auto checked = check_write(WriteStage::valid, checked_write); !checked) {
      return std::unexpected(checked.error());
    }
    if (creation.check) {
      if (auto checked = creation.check(); !checked) return std::unexpected(checked.error());
    }
    if (auto checked = check_limits({.resource = resource, .object = object}); !checked) {
      return std::unexpected(checked.error());
    }
    if (attempt == 1) warn(context, resource, object, nullptr);
    if (context.admission != nullptr) {
      if (auto admitted = context.admission->validate(resource, object, nullptr); !admitted) {
        return std::unexpected(admitted.error());
      }
    }
    const auto taken = [&] {
      return generates ? k8s::answer::generate_name_conflict(resource.group_resource(), object.name(),
                                                             std::chrono::seconds(1))
                       : k8s::answer::already_exists(resource.group_resource(), object.name());
    };
    const bool retries = generates && attempt < name_attempts;
    if (context.dry_run) {
      auto existing = find(resource, object.key());
      if (!existing) return std::unexpected(existing.error());
      if (*existing != nullptr && retries) continue;
      const auto charges = charge_quotas({.resource = resource, .object = object});
      if (!charges) return std::unexpected(charges.error());
      if (*existing != nullptr) return std::unexpected(taken());
      return Outcome{.text = std::make_shared<const std::string>(to_text(object, object.resource_version())),
                     .created = true};
    }
    // Only the storage asks for it, which a dry run does not reach.
    if (const auto version = version_in(object); !creation.is_update && version && *version != 0) {
      return std::unexpected(k8s::Status::of(
          {.message = "resourceVersion should not be set on objects to be created", .code = 500}));
    }
    auto change = change_to(object, resource, storage::Precondition::absent(), context.is_apply);
    if (!change) return std::unexpected(change.error());
    change->room = room_of(*change, resource, object, nullptr, false, context);
    std::shared_lock<std::shared_mutex> entered;
    if (resource.creation_gate != nullptr) {
      entered = resource.creation_gate->enter();
      if (!entered) return std::unexpected(terminating(resource, object));
    }
    auto written = write_new(*change, resource, object);
    entered = {};
    if (!written) return std::unexpected(written.error());
    if (written->conflict && retries) continue;
    if (written->conflict) return std::unexpected(taken());
    if (resource.storage == "namespaces") give_account(std::string(object.name()));
    auto outcome = outcome_of(written->records.front(), resource);
    if (outcome) outcome->created = true;
    return outcome;
  }
}

}  // namespace fairway::apiserver::objects
