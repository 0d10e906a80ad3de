// SPDX-License-Identifier: Apache-2.0

// How an object ends: rest.BeforeDelete and Store.Delete.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {
namespace {

constexpr std::string_view orphan_finalizer = "orphan", foreground_finalizer = "foregroundDeletion";
constexpr int attempts = 64;

std::optional<k8s::Status> check_preconditions(const k8s::Dynamic& object,
                                               const resources::ServedResource& resource,
                                               const k8s::DeleteOptions& options) {
  const auto conflict = [&](const std::string& what, const std::string& wanted, std::string_view there,
                            std::string_view guess) {
    // Here a real server names the kind where the resource is wanted.
    return k8s::answer::conflict({resource.kind.group, resource.kind.kind}, object.name(),
                                 "the " + what + " in the precondition (" + wanted + ") does not match the " +
                                     what + " in record (" + std::string(there) +
                                     "). The object might have " + std::string(guess));
  };
  if (!options.uid.empty() && options.uid != object.uid()) {
    return conflict("UID", options.uid, object.uid(), "been deleted and then recreated");
  }
  if (!options.resource_version.empty() && options.resource_version != object.resource_version()) {
    return conflict("ResourceVersion", options.resource_version, object.resource_version(), "been modified");
  }
  return std::nullopt;
}

/// Sets the garbage collector's finalizers that the options ask for. Others stay. `orphans`: that is what
/// becomes of dependents where neither the options nor finalizers say. Returns whether any changed.
bool set_collector_finalizers(k8s::Dynamic& object, const k8s::DeleteOptions& options, bool orphans) {
  const bool has_said = object.has_finalizer(orphan_finalizer) || object.has_finalizer(foreground_finalizer);
  const auto decide = [&](std::string_view finalizer, k8s::Propagation propagation) {
    if (options.orphan_dependents) {
      return *options.orphan_dependents && propagation == k8s::Propagation::orphan;
    }
    if (options.propagation != k8s::Propagation::server_default) return options.propagation == propagation;
    return has_said ? object.has_finalizer(finalizer) : orphans && propagation == k8s::Propagation::orphan;
  };
  bool changed = false;
  for (const auto& [finalizer, propagation] :
       {std::pair{orphan_finalizer, k8s::Propagation::orphan},
        std::pair{foreground_finalizer, k8s::Propagation::foreground}}) {
    const bool wanted = decide(finalizer, propagation);
    changed |= wanted ? object.add_finalizer(finalizer) : object.remove_finalizer(finalizer);
  }
  return changed;
}

/// The next state of an object that is to be deleted.
enum class Next { goes, stays, unchanged };

Next mark(k8s::Dynamic& object, const resources::ServedResource& resource, const k8s::DeleteOptions& options,
          WallTime now) {
  const std::optional<std::int64_t> period = resource.strategy->grace_seconds(object, options);
  const std::int64_t grace = period.value_or(0);
  if (const auto pending = object.find_integer("metadata.deletionGracePeriodSeconds"); period && pending) {
    // It may only become shorter.
    if (*pending > 0 && (!options.grace_period || grace >= *pending)) return Next::unchanged;
  }
  set_collector_finalizers(object, options, resource.orphans_by_default);
  const bool held = !object.finalizers().empty() || resource.strategy->holds_deletion(object);
  if (grace == 0 && !held) return Next::goes;
  if (!object.is_being_deleted()) {
    if (object.generation() > 0) object.set("metadata.generation", json::Value(object.generation() + 1));
    object.set_time("metadata.deletionTimestamp", now + std::chrono::seconds(grace));
  } else if (period) {
    object.set_time("metadata.deletionTimestamp", now + std::chrono::seconds(grace));
  }
  object.set("metadata.deletionGracePeriodSeconds", json::Value(grace));
  resource.strategy->mark_deleted(object);
  return Next::stays;
}

}  // namespace

/// The write of a deletion.
struct Objects::Removing {
  /// The change to write; std::nullopt: there is none, and `outcome` is the result.
  std::optional<storage::Change> change;
  /// True if the change removes the object; `outcome` is the result then.
  bool goes = false;
  Outcome outcome;
};

k8s::StatusResult<Objects::Removing> Objects::begin_removal(const resources::ServedResource& resource,
                                                            const k8s::Key& key,
                                                            const k8s::DeleteOptions& options,
                                                            const WriteContext& context) {
  if (const std::string_view why = resource.strategy->refusal_of_deletion(key.name); !why.empty()) {
    return std::unexpected(k8s::answer::forbidden(resource.group_resource(), key.name, why));
  }
  auto current = find(resource, key);
  if (!current) return std::unexpected(current.error());
  if (*current == nullptr) {
    return std::unexpected(k8s::answer::not_found(resource.group_resource(), key.name));
  }
  auto read = object_converted_now(**current, resource);
  if (!read) return std::unexpected(read.error());
  k8s::Dynamic object = *std::move(read);
  if (auto refusal = check_preconditions(object, resource, options)) {
    return std::unexpected(*std::move(refusal));
  }
  const std::string before = to_stored_text(object);
  const bool was_being_deleted = object.is_being_deleted();
  const std::optional<k8s::Dynamic> old = context.admission != nullptr ? std::optional(object) : std::nullopt;
  const Next next = mark(object, resource, options, clock_.now());
  const auto as_it_was = [&] {
    return std::make_shared<const std::string>(to_text(object, object.resource_version()));
  };
  Removing removing;
  if (next == Next::unchanged || (next == Next::stays && to_stored_text(object) == before)) {
    removing.outcome.text = as_it_was();
    return removing;
  }
  if (old) {
    if (auto admitted = context.admission->remove(resource, *old, options); !admitted) {
      return std::unexpected(admitted.error());
    }
  }
  removing.goes = next == Next::goes;
  if (removing.goes) {
    const k8s::Status status = k8s::answer::deleted(resource.group_resource(), object.name(), object.uid());
    removing.outcome = {.text = resource.returns_deleted
                                    ? as_it_was()
                                    : std::make_shared<const std::string>(status.to_text()),
                        .gone = true};
  } else if (context.dry_run) {
    removing.outcome.text = as_it_was();
  }
  if (context.dry_run) return removing;
  auto change = change_to(object, resource, storage::Precondition::at((*current)->revision()));
  if (!change) return std::unexpected(change.error());
  change->room = room_of(*change, resource, object, current->get(), was_being_deleted, context);
  if (removing.goes) change->body.reset();
  removing.change = *std::move(change);
  return removing;
}

k8s::StatusResult<Outcome> Objects::remove(const resources::ServedResource& resource, const k8s::Key& key,
                                           const k8s::DeleteOptions& options, const WriteContext& context) {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto removing = begin_removal(resource, key, options, context);
    if (!removing) return std::unexpected(removing.error());
    if (!removing->change) return std::move(removing->outcome);
    auto written = write(*std::move(removing->change));
    if (!written) return std::unexpected(written.error());
    if (written->conflict) continue;
    if (removing->goes) return std::move(removing->outcome);
    return outcome_of(written->records.front(), resource);
  }
  return std::unexpected(k8s::answer::conflict(resource.group_resource(), key.name,
                                               "the object was changed by others all the time"));
}

std::vector<k8s::StatusResult<Outcome>> Objects::remove_all(std::span<const Removal> removals,
                                                            const WriteContext& context) {
  struct Pending {
    std::optional<k8s::StatusResult<Removing>> removing;
    std::optional<Result<storage::Written>> written;
  };
  std::vector<Pending> all(removals.size());
  std::mutex mutex;
  std::condition_variable answered;
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < removals.size(); ++i) {
    const Removal& removal = removals[i];
    auto& removing = all[i].removing;
    removing = begin_removal(*removal.resource, removal.key, removal.options, context);
    if (!*removing || !(*removing)->change) continue;
    std::vector<storage::Change> change;
    change.push_back(*std::move((*removing)->change));
    {
      const std::scoped_lock lock(mutex);
      ++waiting;
    }
    storage_.write_async(std::move(change), [&, &one = all[i]](Result<storage::Written> written) {
      const std::scoped_lock lock(mutex);
      one.written = std::move(written);
      if (--waiting == 0) answered.notify_all();
    });
  }
  {
    std::unique_lock lock(mutex);
    answered.wait(lock, [&] { return waiting == 0; });
  }
  std::vector<k8s::StatusResult<Outcome>> results;
  results.reserve(removals.size());
  for (std::size_t i = 0; i < removals.size(); ++i) {
    auto& [removing, written] = all[i];
    const resources::ServedResource& resource = *removals[i].resource;
    const bool is_written = written && *written && !(*written)->conflict;
    if (!*removing) {
      results.push_back(std::unexpected(removing->error()));
    } else if (!written || (is_written && (*removing)->goes)) {
      results.push_back(std::move((*removing)->outcome));
    } else if (!*written) {
      results.push_back(std::unexpected(resources::status_of_write(written->error())));
    } else if (!is_written) {
      // Somebody else has changed it meanwhile: by itself, as often as it takes.
      results.push_back(remove(resource, removals[i].key, removals[i].options, context));
    } else {
      results.push_back(outcome_of((*written)->records.front(), resource));
    }
  }
  return results;
}

}  // namespace fairway::apiserver::objects
