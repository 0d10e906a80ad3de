// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "k8s/conversion_resource.h"
#include "k8s/custom_resource_definition.h"
#include "kube/wait/wait_until.h"
#include "payload/internal/plan_run.h"

namespace fairway::payload {

namespace {

/// Limit of a name, which leaves room for a number: names of objects have at most 253 bytes.
constexpr std::size_t max_definition_name = 230;

bool may_pass(const kube::ApiError& error) {
  if (!error.is_answer()) {
    // `not_found` is a kind that is not served, perhaps not yet.
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::not_found ||
           error.code == ErrorCode::deadline_exceeded;
  }
  const int code = error.status.code();
  return code == 404 || code == 409 || code == 429 || code >= 500;
}

template <class T>
kube::ApiResult<void> without_object(kube::ApiResult<T> answer) {
  if (!answer) return std::unexpected(std::move(answer.error()));
  return {};
}

/// Returns whether there is nothing to remove: no such object, or not even its kind.
bool is_gone(const kube::ApiError& error) {
  return error.is_not_found() || (!error.is_answer() && error.code == ErrorCode::not_found);
}

/// Returns the versions, other than the storage version, in which objects may be stored.
std::vector<std::string> old_versions(const k8s::CustomResourceDefinition& definition) {
  std::vector<std::string> old;
  for (const std::string_view version : definition.stored_versions())
    if (version != definition.storage_version()) old.emplace_back(version);
  return old;
}

/// The part of a Conversion that is written here.
struct Conversion : k8s::Dynamic {
  static constexpr k8s::Resource resource = k8s::conversion_resource;
  using Dynamic::Dynamic;
};

/// Returns the Conversion for a CRD. Its name contains the CRD's generation, so that an update and a rollback
/// each get their own.
k8s::Dynamic conversion_of(const k8s::CustomResourceDefinition& definition, std::string_view old_version,
                           const std::string& namespace_name) {
  const std::string name = std::string(definition.name().substr(0, max_definition_name)) + "-" +
                           std::to_string(definition.generation());
  auto object = k8s::make<Conversion>(name, namespace_name);
  object.set("spec.group", definition.group());
  object.set("spec.kind", definition.defined_kind());
  object.set("spec.oldVersion", old_version);
  object.set("spec.newVersion", definition.storage_version());
  return object;
}

std::string said(const std::optional<k8s::Condition>& condition) {
  if (!condition) return "it has not been begun";
  return std::string(condition->reason()) + ": " + std::string(condition->message());
}

}  // namespace

PlanRun::PlanRun(const kube::DynamicClient& objects, const Plan& plan, const ApplyPlanOptions& options,
                 ProgressBoard& board)
    : objects_(objects),
      plan_(plan),
      options_(options),
      board_(board),
      clock_(objects.client()->clock()),
      total_(plan.total()) {}

Result<void> PlanRun::run(const PlanStep& step, const Limits& limits) {
  Result<void> outcome;
  if (step.action != Action::join) board_.begin(step.name);
  switch (step.action) {
    case Action::apply:
    case Action::create:
      outcome = put(step, limits);
      break;
    case Action::remove:
      outcome = remove(step, limits);
      break;
    case Action::migrate:
      outcome = migrate(step, limits);
      break;
    case Action::join:
      break;
  }
  if (outcome) {
    board_.done(step.name, step.counts());
  } else {
    board_.end(step.name);
  }
  return outcome;
}

kube::ApiResult<void> PlanRun::write(const Limits& limits, const Attempt& attempt) const {
  Backoff backoff(options_.backoff, clock_, system_random());
  for (int number = 1;; ++number) {
    auto done = attempt(limits.at_most(clock_, options_.request_timeout));
    if (done || number >= options_.attempts || !may_pass(done.error())) return done;
    const auto pause = backoff.next();
    if (pause >= limits.remaining(clock_)) return done;
    clock_.wait_until(clock_.steady() + pause, limits.stop);
    if (limits.stop.stop_requested()) return done;
    // A kind whose definition has just been made is found at once, and not when the mapper would look again.
    if (!done.error().is_answer() && done.error().code == ErrorCode::not_found) {
      [[maybe_unused]] const auto refreshed =
          objects_.mapper().refresh(limits.at_most(clock_, options_.request_timeout));
    }
  }
}

UpdateError PlanRun::server_error(const PlanStep& step, const kube::ApiError& error) const {
  return error_of_server(error, plan_.manifests[step.manifest].id(), step.manifest + 1, total_);
}

Result<void> PlanRun::end(const PlanStep& step, Result<void> outcome, UpdateError error,
                          const Limits& limits) {
  if (limits.expired(clock_)) {
    board_.clear(step.name);
  } else {
    board_.set(step.name, std::move(error));
  }
  return outcome;
}

Result<void> PlanRun::put(const PlanStep& step, const Limits& limits) {
  const k8s::Dynamic& object = plan_.manifests[step.manifest].object;
  std::optional<k8s::Dynamic> answer;  // the object as it is now
  const auto written = write(limits, [&](const Limits& within) -> kube::ApiResult<void> {
    if (step.action == Action::apply) {
      auto applied = objects_.apply(object,
                                    {.field_manager = options_.field_manager,
                                     .force = true,
                                     .validation = kube::FieldValidation::ignore},
                                    within);
      if (!applied) return std::unexpected(std::move(applied.error()));
      answer = *std::move(applied);
      return {};
    }
    const std::string namespace_name(object.namespace_name());
    const auto kind = object.group_version_kind();
    auto api =
        namespace_name.empty() ? objects_.api(kind, within) : objects_.api(kind, namespace_name, within);
    if (!api) return std::unexpected(kube::ApiError(api.error()));
    auto created = api->create(object, {.field_manager = options_.field_manager}, within);
    if (!created && created.error().is_already_exists()) return {};
    return without_object(std::move(created));
  });
  if (!written) return end(step, fail(written.error()), server_error(step, written.error()), limits);
  board_.clear(step.name);
  if (step.wait == Wait::nothing) return {};
  if (answer) {
    if (step.wait == Wait::established) record_stored_versions(step, *answer);
    // If the answer shows that the object is ready, no wait is needed.
    if (is_ready(step, object, *answer)) return {};
  }
  return wait(step, object, limits);
}

void PlanRun::record_stored_versions(const PlanStep& step, const k8s::Dynamic& answer) {
  const k8s::CustomResourceDefinition definition{k8s::Dynamic(answer).release()};
  if (definition.stored_versions().empty() || !old_versions(definition).empty()) return;
  const std::lock_guard lock(mutex_);
  needs_no_migration_.insert(step.manifest);
}

bool PlanRun::is_ready(const PlanStep& step, const k8s::Dynamic& expected, const k8s::Dynamic& actual) const {
  if (step.wait != Wait::cluster_operator) return k8s::readiness(actual).is_ready();
  const auto health =
      check_cluster_operator(expected, &actual, plan_.version, plan_.mode == Mode::initializing);
  return health.readiness.is_ready() || health.error.effect == UpdateEffect::report;
}

k8s::Readiness PlanRun::look(const PlanStep& step, const k8s::Dynamic& expected, const k8s::Dynamic* actual) {
  const ObjectId id = ObjectId::of(expected);
  if (step.wait == Wait::cluster_operator) {
    auto health = check_cluster_operator(expected, actual, plan_.version, plan_.mode == Mode::initializing);
    // An error that is only reported does not have to be waited for.
    if (health.readiness.is_ready() || health.error.effect == UpdateEffect::report)
      return k8s::Readiness::ready();
    // It may be about to come up.
    if (health.error.effect == UpdateEffect::fail) health.error.effect = UpdateEffect::none;
    board_.set(step.name, std::move(health.error));
    return health.readiness;
  }
  auto readiness = actual == nullptr ? k8s::Readiness::waiting("there is none") : k8s::readiness(*actual);
  if (!readiness.is_ready()) {
    board_.set(step.name, {.reason = "WorkloadNotAvailable",
                           .message = id.to_string() + ": " + readiness.reason,
                           .effect = UpdateEffect::none,
                           .name = id.to_string()});
  }
  return readiness;
}

Result<void> PlanRun::wait(const PlanStep& step, const k8s::Dynamic& object, const Limits& limits) {
  const ObjectId id = ObjectId::of(object);
  const Limits within = limits.at_most(clock_, options_.wait_timeout);
  auto kind = objects_.mapper().find(object.group_version_kind(), within);
  UpdateError error{.reason = "WorkloadNotAvailable", .message = {}, .name = id.to_string()};
  if (!kind) {
    error.message = id.to_string() + ": " + kind.error().message;
    return end(step, fail(kind.error()), std::move(error), limits);
  }
  k8s::Key key = object.key();
  if (kind->is_namespaced() && key.namespace_name.empty()) key.namespace_name = objects_.namespace_name();
  std::optional<UpdateError> of_operator;
  const kube::WaitCondition condition = [&](const k8s::Dynamic* actual) {
    if (step.wait == Wait::cluster_operator)
      of_operator = check_cluster_operator(object, actual, plan_.version, false).error;
    return look(step, object, actual);
  };
  const auto ready = kube::wait_until(objects_.client(), *kind, key, condition, within);
  if (ready) return {};
  if (ready.error().code == ErrorCode::conflict) error.reason = "WorkloadNotProgressing";
  error.message = id.to_string() + ": " + ready.error().message;
  if (of_operator) error = *std::move(of_operator);
  return end(step, fail(ready.error()), std::move(error), limits);
}

Result<void> PlanRun::remove(const PlanStep& step, const Limits& limits) {
  const k8s::Dynamic& object = plan_.manifests[step.manifest].object;
  const ObjectId id = ObjectId::of(object);
  const auto removed = write(limits, [&](const Limits& within) -> kube::ApiResult<void> {
    auto answer = objects_.remove(object, {.propagation = kube::Propagation::background}, within);
    if (!answer && is_gone(answer.error())) return {};
    return answer;
  });
  if (!removed) return end(step, fail(removed.error()), server_error(step, removed.error()), limits);
  const Limits within = limits.at_most(clock_, options_.wait_timeout);
  const auto kind = objects_.mapper().find(object.group_version_kind(), within);
  if (!kind && kind.error().code == ErrorCode::not_found) return {};
  UpdateError error{.reason = "UpdatePayloadFailed", .message = {}, .name = id.to_string()};
  if (!kind) {
    error.message = "Could not delete " + id.to_string() + ": " + kind.error().message;
    return end(step, fail(kind.error()), std::move(error), limits);
  }
  k8s::Key key = object.key();
  if (kind->is_namespaced() && key.namespace_name.empty()) key.namespace_name = objects_.namespace_name();
  const auto gone = kube::wait_until(
      objects_.client(), *kind, key,
      [&](const k8s::Dynamic* actual) {
        if (actual == nullptr) return k8s::Readiness::ready();
        board_.set(step.name, {.reason = "UpdatePayloadDeleting",
                               .message = "Deleting " + id.to_string(),
                               .effect = UpdateEffect::none,
                               .name = id.to_string()});
        return k8s::Readiness::waiting("it is being deleted");
      },
      within);
  if (gone) return {};
  error.message = "Could not delete " + id.to_string() + ": " + gone.error().message;
  return end(step, fail(gone.error()), std::move(error), limits);
}

Result<void> PlanRun::migrate(const PlanStep& step, const Limits& limits) {
  {
    const std::lock_guard lock(mutex_);
    if (needs_no_migration_.contains(step.manifest)) return {};
  }
  const k8s::Dynamic& manifest = plan_.manifests[step.manifest].object;
  const auto& resource = k8s::CustomResourceDefinition::resource;
  std::optional<k8s::Dynamic> found;
  kube::Client& client = *objects_.client();
  const auto read = write(limits, [&](const Limits& within) -> kube::ApiResult<void> {
    // Each DynamicClient has a client, which the analyzer does not see.
    auto answer =
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        client.get(resource.group_version_resource(), {"", std::string(manifest.name())}, {}, within);
    if (!answer) return std::unexpected(std::move(answer.error()));
    found = *std::move(answer);
    return {};
  });
  if (!read) return end(step, fail(read.error()), server_error(step, read.error()), limits);
  const k8s::CustomResourceDefinition definition(found->release());
  const auto old = old_versions(definition);
  if (old.empty()) return {};
  return convert(step, conversion_of(definition, old.front(), options_.conversion_namespace), limits);
}

Result<void> PlanRun::convert(const PlanStep& step, const k8s::Dynamic& conversion, const Limits& limits) {
  const std::string name = step.name;
  const auto error = [&](UpdateEffect effect, const std::string& why) {
    return UpdateError{.reason = "UpdatePayloadMigrating",
                       .message = "The " + name + " to " + std::string(conversion.text("spec.newVersion")) +
                                  " is not completed: " + why,
                       .effect = effect,
                       .name = "the " + name};
  };
  const k8s::ApiResource kind(Conversion::resource);
  const auto asked = write(limits, [&](const Limits& within) {
    return without_object(objects_.client()->apply(kind.group_version_resource(), conversion,
                                                   {.field_manager = options_.field_manager, .force = true},
                                                   {}, within));
  });
  if (!asked) return end(step, fail(asked.error()), error(UpdateEffect::fail, asked.error().message), limits);
  const auto completed = kube::wait_until(
      objects_.client(), kind, conversion.key(),
      [&](const k8s::Dynamic* actual) {
        if (actual == nullptr) return k8s::Readiness::failed("its Conversion was deleted");
        const auto accepted = k8s::find_condition(*actual, "Accepted");
        const auto done = k8s::find_condition(*actual, "Completed");
        if (done && done->is_true()) return k8s::Readiness::ready();
        const bool refused = accepted && accepted->is_false();
        const std::string why = said(refused ? accepted : done);
        board_.set(name, error(refused ? UpdateEffect::fail : UpdateEffect::none, why));
        return k8s::Readiness::waiting(why);
      },
      limits.at_most(clock_, options_.migration_timeout));
  if (!completed) {
    return end(step, fail(completed.error()), error(UpdateEffect::fail, completed.error().message), limits);
  }
  // If this fails, the Conversion that remains is completed and does no harm.
  [[maybe_unused]] const auto removed = objects_.client()->remove(
      kind.group_version_resource(), conversion.key(), {}, limits.at_most(clock_, options_.request_timeout));
  return {};
}

}  // namespace fairway::payload
