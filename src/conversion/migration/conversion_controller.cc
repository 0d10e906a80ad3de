// SPDX-License-Identifier: Apache-2.0

#include "conversion/migration/conversion_controller.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/log.h"
#include "conversion/internal/migration/conversion_run.h"
#include "conversion/internal/migration/migration_pool.h"
#include "k8s/conditions.h"
#include "k8s/custom_resource_definition.h"
#include "kube/controller/trigger.h"
#include "kube/controller/update_status.h"
#include "kube/informer/predicate.h"

namespace fairway::conversion {

namespace {

/// Returns whether the Conversion is completed in its current generation.
bool is_completed(const Conversion& object) {
  const auto completed = k8s::find_condition(object, "Completed");
  return completed && completed->is_true() && completed->observed_generation() == object.generation();
}

/// A reconcile only starts or stops a migration, which runs in the pool. When it ends, the Conversion is
/// reconciled again.
class ConversionController {
 public:
  ConversionController(Clock& clock, const ConversionControllerOptions& options, metrics::Registry& registry)
      : pace_(options.pace),
        rate_(std::make_shared<WriteRate>(clock, options.pace.objects_per_second)),
        stall_timeout_(options.stall_timeout),
        objects_(options.objects),
        pool_(
            options.concurrent_migrations, [this](const k8s::Key& key) { due_.fire(key); },
            [this](const k8s::Key& key) { due_.fire(key); }, &registry, clock, options.stall_timeout) {}

  Result<kube::Requeue> reconcile(const kube::Context& context, const Conversion* object) {
    const k8s::Key& key = context.key();
    if (object == nullptr || object->is_being_deleted()) {
      pool_.cancel(key);
      return kube::done();
    }
    if (auto ended = pool_.take_result(key);
        ended && ended->uid == object->uid() && ended->generation == object->generation()) {
      if (ended->stalled) {
        log::warning("a migration is stalled; it continues after those that wait",
                     {{"conversion", key.to_string()}, {"unanswered", format_duration(stall_timeout_)}});
        return start(context, true);
      }
      // The Conversion became another one, or stop was requested: reconciled from the start.
      if (!ended->changed && !ended->result && ended->result.error().code == ErrorCode::cancelled)
        return kube::requeue_with_backoff();
      if (!ended->changed) return std::move(ended->result);
    }
    if (begin_planning(*object) == MigrationPool::Presence::running) return kube::done();
    return start(context);
  }

  void record_definition_change(std::string_view name) { pool_.record_definition_change(std::string(name)); }
  const kube::Trigger& migration_due() const { return due_; }
  void run_migrations(const std::stop_token& stop) { pool_.run(stop); }

 private:
  /// Begins the planning in the pool. The object that is reconciled may be newer than its migration.
  MigrationPool::Presence begin_planning(const k8s::Dynamic& object) {
    return pool_.begin_planning(object.key(), object.uid(), object.generation());
  }

  /// Starts its migration, if it may, based on the server's object: the cache may be older than a running
  /// migration. One that waits is planned again and keeps its place; one that was stalled comes last.
  Result<kube::Requeue> start(const kube::Context& context, bool stalled = false) {
    const k8s::Key& key = context.key();
    const std::uint64_t changes = pool_.definition_changes();
    auto object = context.client().get(conversions(), key, {}, context.limits());
    if (!object && !object.error().is_not_found()) return fail(object.error());
    if (!object || object->is_being_deleted()) {
      pool_.cancel(key);
      return kube::done();
    }
    const auto known = begin_planning(*object);
    if (known == MigrationPool::Presence::running) return kube::done();
    // One that runs is about another generation: the trigger is fired when it has ended.
    if (known != MigrationPool::Presence::waiting && pool_.cancel(key)) return kube::done();
    MigrationPool::Migration migration{.key = key,
                                       .uid = std::string(object->uid()),
                                       .generation = object->generation(),
                                       .planned_after = changes};
    migration.activity = std::make_shared<Activity>(context.client().clock());
    kube::Client& objects = objects_ ? *objects_ : context.client();
    const auto run = std::make_shared<ConversionRun>(context.client(), objects, Conversion(object->release()),
                                                     pace_, rate_, migration.activity);
    auto prepared = run->prepare(context.stop());
    if (!prepared) return fail(prepared.error());
    if (*prepared) {
      pool_.cancel(key);  // it need not wait any more
      return **std::move(prepared);
    }
    if (stalled) {
      if (auto written = run->write_stalled(stall_timeout_, context.stop()); !written)
        return fail(written.error());
    }
    migration.definitions = run->definitions();
    migration.run = [run](const std::stop_token& stop) { return run->migrate(stop); };
    migration.reason_to_wait = pool_.reason_to_wait(key, migration.definitions);
    if (const auto& why = migration.reason_to_wait) {
      if (auto written = run->write_pending(*why, context.stop()); !written) return fail(written.error());
    }
    pool_.add(std::move(migration));
    return kube::done();
  }

  const MigrationPace pace_;
  const std::shared_ptr<WriteRate> rate_;
  const std::chrono::nanoseconds stall_timeout_;
  const std::shared_ptr<kube::Client> objects_;  ///< may be nullptr
  const kube::Trigger due_;                      ///< a migration has ended, or is to be planned again
  MigrationPool pool_;
};

}  // namespace

Result<kube::Requeue> reconcile_conversion(kube::Client& client, const k8s::Key& key,
                                           const MigrationPace& pace, const std::stop_token& stop) {
  auto object = client.get(conversions(), key, {}, {.stop = stop});
  if (!object) {
    if (object.error().is_not_found()) return kube::done();
    return fail(object.error());
  }
  if (object->is_being_deleted()) return kube::done();
  ConversionRun run(client, client, Conversion(object->release()), pace,
                    std::make_shared<WriteRate>(client.clock(), pace.objects_per_second),
                    std::make_shared<Activity>(client.clock()));
  auto prepared = run.prepare(stop);
  if (!prepared) return fail(prepared.error());
  return *prepared ? Result<kube::Requeue>(**std::move(prepared)) : run.migrate(stop);
}

Result<kube::Requeue> record_conversion(kube::Client& client, Conversion object, const Limits& limits) {
  const auto is_recorded = [](const k8s::Dynamic& one) {
    const auto accepted = k8s::find_condition(one, "Accepted");
    return one.is_being_deleted() || (accepted && accepted->observed_generation() == one.generation());
  };
  if (is_recorded(object)) return kube::done();
  const auto updated = kube::update_status(
      client, conversions(), object.key(), &object,
      [&](k8s::Dynamic& now) {
        if (is_recorded(now)) return;  // meanwhile, by its reconcile
        k8s::Conditions conditions(now, Conversion::policy(), client.clock());
        for (const char* type : {"Accepted", "Completed"})
          conditions.unknown(type, "Pending", "it waits for its turn");
      },
      {.field_manager = "fairway"}, limits);
  if (!updated) return fail(updated.error());
  return kube::requeue_after(*updated);
}

void add_conversion_controller(kube::Manager& manager, const ConversionControllerOptions& options) {
  const kube::Informer<Conversion> all = manager.informers().get<Conversion>();
  const auto controller =
      std::make_shared<ConversionController>(manager.client().clock(), options, manager.registry());
  manager.add("migrations of Conversions", [controller](const std::stop_token& stop) -> Result<void> {
    controller->run_migrations(stop);
    return {};
  });
  // Requests of a reconcile may hang; this controller writes Pending meanwhile.
  manager.controller<Conversion>("conversion-pending")
      .when(kube::generation_changed)
      .reconcile([](const kube::Context& context, const Conversion& object) {
        return record_conversion(context.client(), object, context.limits());
      });
  manager.controller<Conversion>("conversion")
      .when(kube::generation_changed)
      .watches<k8s::CustomResourceDefinition>(
          [all, controller](const k8s::CustomResourceDefinition& definition) {
            controller->record_definition_change(definition.name());
            std::vector<k8s::Key> keys;
            for (const auto& one : all.cached()) {
              if (one->text("spec.group") == definition.group() && !is_completed(*one))
                keys.push_back(one->key());
            }
            return keys;
          },
          kube::generation_changed)
      .on(controller->migration_due())
      .workers(options.workers)
      .reconcile([controller](const kube::Context& context, const k8s::Key&,
                              const std::shared_ptr<const Conversion>& object) {
        return controller->reconcile(context, object.get());
      });
}

}  // namespace fairway::conversion
