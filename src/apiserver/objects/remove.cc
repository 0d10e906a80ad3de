// How an object ends: rest.BeforeDelete and Store.Delete.
#include <algorithm>
#include <optional>

#include "apiserver/objects/internal/object_text.h"
#include "apiserver/objects/internal/objects.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver {
namespace {

constexpr std::string_view orphan_finalizer = "orphan", foreground_finalizer = "foregroundDeletion";
constexpr std::int64_t default_pod_grace_seconds = 30;
constexpr int attempts = 64;

std::optional<k8s::Status> check_preconditions(const k8s::Dynamic& object, const ServedResource& resource,
                                               const k8s::DeleteOptions& options) {
  const auto conflict = [&](const std::string& what, const std::string& wanted, std::string_view there,
                            std::string_view guess) {
    return k8s::answer::conflict(resource.group_resource(), object.name(),
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

/// The finalizers for the garbage collector that the options ask for, beside those of others.
bool set_collector_finalizers(k8s::Dynamic& object, const k8s::DeleteOptions& options) {
  const auto decide = [&](std::string_view finalizer, k8s::Propagation propagation) {
    if (options.orphan_dependents) {
      return *options.orphan_dependents && propagation == k8s::Propagation::orphan;
    }
    if (options.propagation != k8s::Propagation::server_default) return options.propagation == propagation;
    return object.has_finalizer(finalizer);
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

/// The seconds that a Pod is left to end by itself.
std::int64_t grace_of(const k8s::Dynamic& pod, const k8s::DeleteOptions& options) {
  const std::string_view phase = pod.text("status.phase");
  // Nobody runs it.
  if (pod.text("spec.nodeName").empty() || phase == "Failed" || phase == "Succeeded") return 0;
  const std::int64_t seconds =
      options.grace_period ? options.grace_period->count()
                           : pod.integer("spec.terminationGracePeriodSeconds", default_pod_grace_seconds);
  return seconds < 0 ? 1 : seconds;
}

/// What becomes of an object that is to be deleted.
enum class Next { goes, stays, unchanged };

Next mark(k8s::Dynamic& object, const ServedResource& resource, const k8s::DeleteOptions& options,
          WallTime now) {
  bool graceful = false;
  std::int64_t grace = 0;
  if (resource.deletes_gracefully) {
    grace = grace_of(object, options);
    if (const auto pending = object.find_integer("metadata.deletionGracePeriodSeconds")) {
      // It may only become shorter.
      if (*pending > 0 && (!options.grace_period || grace >= *pending)) return Next::unchanged;
    }
    graceful = grace > 0;
  }
  set_collector_finalizers(object, options);
  const bool held = !object.finalizers().empty() || resource.strategy->holds_deletion(object);
  if (!graceful && !held) return Next::goes;
  if (!object.is_being_deleted()) {
    if (object.generation() > 0) object.set("metadata.generation", json::Value(object.generation() + 1));
    object.set_time("metadata.deletionTimestamp", now + std::chrono::seconds(grace));
  } else if (resource.deletes_gracefully) {
    object.set_time("metadata.deletionTimestamp", now + std::chrono::seconds(grace));
  }
  object.set("metadata.deletionGracePeriodSeconds", json::Value(graceful ? grace : 0));
  resource.strategy->mark_deleted(object);
  return Next::stays;
}

bool is_protected(const ServedResource& resource, std::string_view name) {
  return resource.kind.group.empty() && resource.kind.kind == "Namespace" &&
         (name == "default" || name == "kube-system" || name == "kube-public");
}

}  // namespace

k8s::StatusResult<Outcome> Objects::remove(const ServedResource& resource, const k8s::Key& key,
                                           const k8s::DeleteOptions& options, const WriteContext& context) {
  if (is_protected(resource, key.name)) {
    return std::unexpected(
        k8s::answer::forbidden(resource.group_resource(), key.name, "this namespace may not be deleted"));
  }
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto current = find(resource, key);
    if (!current) return std::unexpected(current.error());
    if (*current == nullptr) {
      return std::unexpected(k8s::answer::not_found(resource.group_resource(), key.name));
    }
    auto read = object_in_version(**current, resource);
    if (!read) return std::unexpected(read.error());
    k8s::Dynamic object = *std::move(read);
    if (auto refusal = check_preconditions(object, resource, options)) {
      return std::unexpected(*std::move(refusal));
    }
    const std::string before = to_stored_text(object);
    const Next next = mark(object, resource, options, clock_.now());
    const auto as_it_was = [&] {
      return std::make_shared<const std::string>(to_text(object, object.resource_version()));
    };
    if (next == Next::unchanged || (next == Next::stays && to_stored_text(object) == before)) {
      return Outcome{.text = as_it_was()};
    }
    const auto answer_of_gone = [&]() -> Outcome {
      const k8s::Status status = k8s::answer::deleted(resource.group_resource(), object.name(), object.uid());
      return {.text = resource.returns_deleted ? as_it_was()
                                               : std::make_shared<const std::string>(status.to_text()),
              .gone = true};
    };
    if (context.dry_run) return next == Next::goes ? answer_of_gone() : Outcome{.text = as_it_was()};
    auto change = change_to(object, resource, storage::Precondition::at((*current)->revision()));
    if (!change) return std::unexpected(change.error());
    if (next == Next::goes) change->body.reset();
    auto written = write(*std::move(change));
    if (!written) return std::unexpected(written.error());
    if (written->conflict) continue;
    return next == Next::goes ? answer_of_gone() : outcome_of(written->records.front(), resource);
  }
  return std::unexpected(k8s::answer::conflict(resource.group_resource(), key.name,
                                               "the object was changed by others all the time"));
}

}  // namespace fairway::apiserver
