// SPDX-License-Identifier: Apache-2.0

// How an object changes: rest.BeforeUpdate and Store.Update.
#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "apiserver/internal/apply/field_manager.h"
#include "apiserver/internal/objects/given_version.h"
#include "apiserver/internal/objects/metadata_rules.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/take_over.h"
#include "k8s/equality.h"
#include "k8s/wire/status_errors.h"
#include "schema/prune_metadata.h"

namespace fairway::apiserver::objects {
namespace {

constexpr std::string_view modified =
    "the object has been modified; please apply your changes to the latest version and try again";
/// Number of writes of others after which a request is refused.
constexpr int attempts = 64;

/// Reduces an object to the part that the request is about. Everything else stays as in `old`.
void reduce_to_part(k8s::Dynamic& object, const k8s::Dynamic& old, const resources::ServedResource& resource,
                    resources::Part part) {
  k8s::Dynamic reduced = old;
  if (part == resources::Part::status) {
    resources::take_over(reduced, object, "status");
  } else if (part == resources::Part::approval) {
    resources::take_over(reduced, object, "status.conditions");
  } else {
    resource.strategy->take_part(reduced, object, part);
  }
  const bool is_status = part == resources::Part::status;
  if (resource.is_custom || (is_status ? resource.status_is_all : part != resources::Part::approval)) {
    resources::take_over(reduced, object, "metadata.managedFields");
  } else {
    // Most built-in kinds take annotations, finalizers and labels with it: kubelets set those of Nodes so.
    // The owners stay: who may write a status does not decide what the garbage collector deletes.
    resources::take_over(reduced, object, "metadata");
    resources::take_over(reduced, old, "metadata.ownerReferences");
    if (is_status && !resource.status_has_labels) resources::take_over(reduced, old, "metadata.labels");
  }
  resources::take_over(reduced, object, "metadata.resourceVersion");
  object = std::move(reduced);
}

/// Returns whether a change raises the generation.
bool is_other_intent(const k8s::Dynamic& object, const k8s::Dynamic& old,
                     const resources::ServedResource& resource) {
  if (resource.annotations_count && !k8s::equal_with_null_as_absent(object.find("metadata.annotations"),
                                                                    old.find("metadata.annotations"))) {
    return true;
  }
  const bool has_status = resource.find_subresource("status") != nullptr;
  const auto counts = [&](std::string_view key) {
    return key != "kind" && key != "apiVersion" && key != "metadata" && (key != "status" || !has_status);
  };
  for (const auto& member : object.json()) {
    if (counts(member.key()) &&
        !k8s::equal_with_null_as_absent(&member.value(), old.json().if_contains(member.key())))
      return true;
  }
  return std::ranges::any_of(old.json(), [&](const auto& member) {
    return counts(member.key()) && !object.json().contains(member.key()) && !member.value().is_null();
  });
}

/// Returns whether a write changes nothing, except for the times of managedFields.
bool changes_nothing(const k8s::Dynamic& object, const k8s::Dynamic& old) {
  const json::Object& next = object.json();
  const json::Object& live = old.json();
  const bool is_equal = next.size() == live.size() && std::ranges::all_of(next, [&](const auto& member) {
                          const json::Value* other = live.if_contains(member.key());
                          return other != nullptr && k8s::equal(member.value(), *other);
                        });
  return is_equal || apply::differ_only_in_times(live, next);
}

/// Removes the errors that an object had before. An error that stands for others stays: which ones these are,
/// it does not tell.
void remove_former(std::vector<k8s::FieldError>& errors, const std::vector<k8s::FieldError>& former) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> known;
  for (const k8s::FieldError& error : former) known.insert({error.field, error.cause, error.message});
  std::erase_if(errors, [&](const k8s::FieldError& error) {
    return error.count == 1 && known.contains({error.field, error.cause, error.message});
  });
}

/// Returns the errors of an update. Those that the old object has as well do not count: it may be older than
/// the rule, and could not be changed any more, not even to let it be deleted. kube-apiserver calls that
/// ratcheting.
std::vector<k8s::FieldError> check_values(const k8s::Dynamic& object, const k8s::Dynamic& old,
                                          const resources::ServedResource& resource, resources::Part part) {
  std::vector<k8s::FieldError> errors = resource.strategy->validate(object, &old, part);
  // Schemas of custom resources have ratcheting of their own, and rules about the change itself.
  if (!errors.empty() && !resource.is_custom)
    remove_former(errors, resource.strategy->validate(old, &old, part));
  return errors;
}

/// Returns the errors of the metadata of an update, likewise.
std::vector<k8s::FieldError> check_metadata_values(const k8s::Dynamic& object, const k8s::Dynamic& old,
                                                   const resources::ServedResource& resource) {
  std::vector<k8s::FieldError> errors = check_metadata_update(object, old, resource);
  if (!errors.empty()) remove_former(errors, check_metadata_update(old, old, resource));
  return errors;
}

/// Returns whether the last reason to keep a deleted object is gone.
bool may_go(const k8s::Dynamic& object, const k8s::Dynamic& old, const resources::ServedResource& resource) {
  return old.is_being_deleted() && object.finalizers().empty() &&
         old.find_integer("metadata.deletionGracePeriodSeconds") == 0 &&
         !resource.strategy->holds_deletion(object);
}

}  // namespace

k8s::StatusResult<void> Objects::prepare_update(k8s::Dynamic& object, const k8s::Dynamic& old,
                                                const resources::ServedResource& resource,
                                                const UpdateRequest& request, const WriteContext& context) {
  if (request.as_is) return {};
  if (!resource.is_namespaced()) object.erase("metadata.namespace");
  if (object.uid().empty()) resources::take_over(object, old, "metadata.uid");
  if (object.name().empty()) resources::take_over(object, old, "metadata.name");
  if (resource.is_namespaced() && object.namespace_name().empty()) {
    resources::take_over(object, old, "metadata.namespace");
  }
  const json::Value finalizers = object.find("spec.finalizers") != nullptr
                                     ? json::Value(*object.find("spec.finalizers"))
                                     : json::Value();
  if (request.part != resources::Part::object) {
    reduce_to_part(object, old, resource, request.part);
  } else if (resource.find_subresource("status") != nullptr) {
    resources::take_over(object, old, "status");
  }
  for (const std::string_view field : {"metadata.generation", "metadata.creationTimestamp"}) {
    resources::take_over(object, old, field);
  }
  if (old.is_being_deleted()) resources::take_over(object, old, "metadata.deletionTimestamp");
  if (!object.has("metadata.deletionGracePeriodSeconds")) {
    resources::take_over(object, old, "metadata.deletionGracePeriodSeconds");
  }
  resource.strategy->prepare_for_update(object, old, request.part);
  resource.strategy->stamp(object, &old, {.user = context.user, .now = clock_.now()});
  if (request.finalize) {
    k8s::Dynamic finalized = old;
    // Without them: that they are absent is how typed clients write that none is left.
    finalized.erase("spec.finalizers");
    if (!finalizers.is_null()) finalized.set("spec.finalizers", finalizers);
    // Whose finalizers they are.
    resources::take_over(finalized, object, "metadata.managedFields");
    object = std::move(finalized);
  }
  if (resource.has_generation && resources::is_intent(request.part) &&
      is_other_intent(object, old, resource)) {
    object.set("metadata.generation", json::Value(old.generation() + 1));
  }

  const CheckedWrite checked_write{.context = context,
                                   .resource = resource,
                                   .object = object,
                                   .old = &old,
                                   .part = request.part,
                                   .request_name = request.key.name};
  if (auto checked = check_write(WriteStage::completed, checked_write); !checked) return checked;
  std::vector<k8s::FieldError> errors = check_metadata_values(object, old, resource);
  if (errors.empty()) schema::prune_metadata(object.json(), {});
  std::ranges::move(check_values(object, old, resource, request.part), std::back_inserter(errors));
  if (errors.empty()) {
    const resources::WriteScope scope = scope_of(context);
    if (auto checked = resource.strategy->check_update(object, old, request.part, scope); !checked) {
      return checked;
    }
    if (auto checked = check_write(WriteStage::valid, checked_write); !checked) return checked;
    resource.strategy->set_times(object, clock_.now());
    if (request.part == resources::Part::object) warn(context, resource, object, &old);
    return {};
  }
  return std::unexpected(k8s::answer::invalid(resource.storage_kind.group_kind(), old.name(), errors));
}

k8s::StatusResult<Outcome> Objects::store_update(k8s::Dynamic object, const k8s::Dynamic& old,
                                                 const storage::RecordPtr& current,
                                                 const resources::ServedResource& resource,
                                                 resources::Part part, const WriteContext& context,
                                                 bool& conflict) {
  object.set_resource_version(old.resource_version());
  const bool goes = may_go(object, old, resource);
  const Charged charged{.resource = resource, .object = object, .old = &old, .part = part};
  // Asked before it is known whether there is anything to write, as a real server does.
  if (const auto charges = charge_quotas(charged); !charges) return std::unexpected(charges.error());
  if (context.dry_run) {
    return Outcome{.text = std::make_shared<const std::string>(to_text(object, old.resource_version()))};
  }
  // An update that changes nothing is not written, and does not raise the resourceVersion.
  if (!goes && is_as_written_today(*current, resource) && changes_nothing(object, old)) {
    return outcome_of(to_be_asked_again(current, resource), resource);
  }
  const auto precondition = storage::Precondition::at(current->revision());
  auto change = change_to(object, resource, precondition, context.is_apply);
  if (!change) return std::unexpected(change.error());
  change->room = room_of(*change, resource, object, current.get(), old.is_being_deleted(), context);
  if (goes) change->body.reset();
  const auto written = write_charged({*std::move(change)}, charged);
  if (!written) return std::unexpected(written.error());
  conflict = written->conflict.has_value();
  if (conflict) return Outcome{};
  if (goes) {
    return Outcome{.text = std::make_shared<const std::string>(to_text(object, old.resource_version())),
                   .gone = true};
  }
  return outcome_of(written->records.front(), resource);
}

k8s::StatusResult<Outcome> Objects::update(const resources::ServedResource& resource,
                                           const UpdateRequest& request, const WriteContext& context) {
  const std::string& name = request.key.name;
  const auto is_modified = [&] {
    return std::unexpected(k8s::answer::conflict(resource.group_resource(), name, modified));
  };
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto current = find(resource, request.key);
    if (!current) return std::unexpected(current.error());
    if (*current == nullptr) {
      if (!request.may_create) {
        return std::unexpected(k8s::answer::not_found(resource.group_resource(), name));
      }
      auto object = request.transform(nullptr);
      if (!object) return std::unexpected(object.error());
      if (const auto given = version_in(*object); !given) return std::unexpected(given.error());
      return create(resource, *std::move(object), context,
                    {.request_name = name, .check = request.check_create, .is_update = true});
    }
    auto old = object_converted_now(**current, resource);
    if (!old) return std::unexpected(old.error());
    auto object = request.transform(&*old);
    if (!object) return std::unexpected(object.error());
    if (context.admission != nullptr) {
      if (auto admitted = context.admission->mutate(resource, *object, &*old); !admitted) {
        return std::unexpected(admitted.error());
      }
    }
    if (!request.as_is) {
      const CheckedWrite sent{.context = context,
                              .resource = resource,
                              .object = *object,
                              .old = &*old,
                              .part = request.part,
                              .request_name = name};
      if (auto checked = check_write(WriteStage::sent, sent); !checked) {
        return std::unexpected(checked.error());
      }
    }
    const auto given = version_in(*object);
    if (!given) return std::unexpected(given.error());
    if (*given == 0 && !resource.unconditional_update) {
      return std::unexpected(
          k8s::answer::invalid({resource.kind.group, resource.plural}, name,
                               {k8s::FieldError::invalid("metadata.resourceVersion", json::Value(0),
                                                         "must be specified for an update")}));
    }
    if (!object->uid().empty() && object->uid() != old->uid()) {
      return std::unexpected(
          k8s::answer::conflict(resource.group_resource(), name,
                                "Precondition failed: UID in precondition: " + std::string(object->uid()) +
                                    ", UID in object meta: " + std::string(old->uid())));
    }
    if (*given != 0 && *given != static_cast<std::uint64_t>((*current)->revision())) return is_modified();
    resources::Allocation allocation;
    if (request.part == resources::Part::object && !request.finalize) {
      auto allocated = resource.strategy->allocate(*object, &*old, scope_of(context));
      if (!allocated) return std::unexpected(allocated.error());
      allocation = *std::move(allocated);
    }
    if (auto prepared = prepare_update(*object, *old, resource, request, context); !prepared) {
      return std::unexpected(prepared.error());
    }
    const Charged bounded{.resource = resource, .object = *object, .old = &*old, .part = request.part};
    if (auto checked = check_limits(bounded); !checked) return std::unexpected(checked.error());
    if (context.admission != nullptr) {
      if (auto admitted = context.admission->validate(resource, *object, &*old); !admitted) {
        return std::unexpected(admitted.error());
      }
    }
    bool conflict = false;
    auto outcome =
        store_update(*std::move(object), *old, *current, resource, request.part, context, conflict);
    if (!conflict) return outcome;
  }
  return is_modified();
}

}  // namespace fairway::apiserver::objects
