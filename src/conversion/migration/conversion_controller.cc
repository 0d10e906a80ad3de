#include "conversion/migration/conversion_controller.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "k8s/conditions.h"
#include "k8s/custom_resource_definition.h"
#include "kube/controller/update_status.h"
#include "kube/informer/predicate.h"

namespace fairway::conversion {

namespace {

constexpr std::size_t longest_message = 1'000;
/// What failed is tried again after as long as it has been failing, between these.
constexpr std::chrono::nanoseconds shortest_delay = std::chrono::minutes(1),
                                   longest_delay = std::chrono::hours(1);

const k8s::GroupVersionResource& conversions() {
  static const k8s::GroupVersionResource resource = Conversion::resource.group_version_resource();
  return resource;
}

/// The reason that goes with what a plan was refused for; empty where it may pass by itself.
std::string_view refusal_reason(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
      return "KindNotFound";
    case ErrorCode::conflict:
      return "NotStorageVersion";
    case ErrorCode::invalid:
      return "Invalid";
    default:
      return "";
  }
}

/// A Conversion on its way.
class Run {
 public:
  Run(kube::Client& client, Conversion object, const MigrationPace& pace, const std::stop_token& stop)
      : client_(client), object_(std::move(object)), pace_(pace), stop_(stop) {}

  Result<kube::Requeue> run() {
    const auto completed = k8s::find_condition(object_, "Completed");
    if (completed && completed->is_true() && completed->observed_generation() == object_.generation())
      return kube::done();
    auto request = object_.request();
    if (!request) return refuse("Invalid", request.error().message);
    auto plan = plan_migration(client_, *request, limits());
    if (!plan) {
      const std::string_view reason = refusal_reason(plan.error());
      if (reason.empty()) return not_known(plan.error());
      return refuse(reason, plan.error().message);
    }
    resume(*plan, object_.kinds());
    kinds_ = *std::move(plan);
    if (const auto left = left_to_settle(*request); left > left.zero()) return settle(*request, left);
    if (auto told = tell(); !told) return fail(told.error());
    for (KindProgress& kind : kinds_) {
      bool told = true;
      const auto done = migrate_kind(
          client_, *request, pace_, kind,
          [&](const KindProgress&) {
            auto written = tell();
            told = written.has_value();
            return written;
          },
          stop_);
      if (done) continue;
      // Asked to stop, changed on the way, or not to be written: what is written down is enough to go on.
      if (!told || done.error().code == ErrorCode::cancelled) return fail(done.error());
      add_failure(kind, done.error());
    }
    return failure_ ? failed() : complete(*request);
  }

 private:
  Limits limits() const { return {.stop = stop_}; }

  /// Writes how far it has come, and the conditions by `say`. An Error where the Conversion is not the one
  /// any more that this is about.
  Result<void> write(const std::function<void(k8s::Conditions& conditions)>& say) {
    const auto updated = kube::update_status(
        client_, conversions(), object_.key(), &object_,
        [&](k8s::Dynamic& now) {
          object_ = Conversion(now.release());
          object_.set_kinds(kinds_);
          {
            k8s::Conditions conditions(object_, Conversion::policy(), client_.clock());
            say(conditions);
          }
          now = k8s::Dynamic(object_.json());
        },
        {.field_manager = "fairway"}, limits());
    if (!updated) return fail(updated.error());
    if (*updated == kube::StatusUpdate::outdated || *updated == kube::StatusUpdate::gone) {
      return fail(ErrorCode::cancelled,
                  "the Conversion " + object_.key().to_string() + " has changed on the way");
    }
    return {};
  }

  Result<void> tell() {
    return write([this](k8s::Conditions& conditions) {
      const auto total = object_.find_integer("status.objectsTotal");
      under_way(conditions, "Migrating",
                std::to_string(object_.integer("status.objectsDone")) +
                    (total ? " of " + std::to_string(*total) : "") + " objects");
    });
  }

  void under_way(k8s::Conditions& conditions, std::string_view reason, const std::string& message) const {
    conditions.set_true("Accepted", "Accepted", "");
    // One that has failed has failed until it goes otherwise: it is not Unknown at each attempt.
    const auto completed = conditions.find("Completed");
    const bool failed = completed && completed->is_false() && completed->reason() != "NotAccepted" &&
                        completed->observed_generation() == object_.generation();
    if (!failed) conditions.unknown("Completed", reason, message);
  }

  /// All of it is listed and asked for anew then, so not at once; the longer it fails, the later.
  kube::Requeue later(std::string_view condition) const {
    const auto failed = k8s::find_condition(object_, condition);
    const WallTime now = client_.clock().now();
    const WallTime since = failed ? failed->last_transition().value_or(now) : now;
    return kube::requeue_after(
        std::clamp<std::chrono::nanoseconds>(now - since, shortest_delay, longest_delay));
  }

  std::chrono::nanoseconds left_to_settle(const MigrationRequest& request) const {
    std::chrono::nanoseconds left{0};
    for (const KindProgress& kind : kinds_)
      left = std::max(left, settle_left(kind, request, pace_, client_.clock().now()));
    return left;
  }

  /// It may begin later: meanwhile others are worked on.
  Result<kube::Requeue> settle(const MigrationRequest& request, std::chrono::nanoseconds left) {
    const WallTime until = client_.clock().now() + std::chrono::duration_cast<WallTime::duration>(left);
    auto written = write([&](k8s::Conditions& conditions) {
      under_way(conditions, "Settling",
                "begins at " + format_time(std::chrono::ceil<std::chrono::seconds>(until)) +
                    ", when no request is left that began before " + request.new_version +
                    " was seen as the storage version");
    });
    if (!written) return fail(written.error());
    return kube::requeue_after(left);
  }

  /// It may not begin.
  Result<kube::Requeue> refuse(std::string_view reason, const std::string& why) {
    kinds_ = object_.kinds();  // what was done before stays done
    auto written = write([&](k8s::Conditions& conditions) {
      conditions.set_false("Accepted", reason, printable(why, longest_message));
      conditions.set_false("Completed", "NotAccepted", "it may not begin: see Accepted");
    });
    if (!written) return fail(written.error());
    // The definition may come, or change its storage version: it is watched too.
    return kube::done();
  }

  /// Whether it may begin is not known: the definitions could not be read.
  Result<kube::Requeue> not_known(const Error& error) {
    if (error.code == ErrorCode::cancelled) return fail(error);
    kinds_ = object_.kinds();
    auto written = write([&](k8s::Conditions& conditions) {
      conditions.unknown("Accepted", "DefinitionsNotRead", printable(error.message, longest_message));
    });
    if (!written) return fail(written.error());
    return fail(error);
  }

  /// One kind went wrong: the others are worked on all the same.
  void add_failure(KindProgress& kind, const Error& error) {
    if (kind.last_error.empty()) kind.last_error = printable(error.message, longest_message);
    if (failure_) {
      failure_->message += "; " + error.message;
      return;
    }
    failure_ = error;
    failure_reason_ = kind.left_out > 0                   ? "ObjectsLeftOut"
                      : error.code == ErrorCode::conflict ? "DefinitionChanged"
                                                          : "Failed";
  }

  Result<kube::Requeue> failed() {
    auto written = write([&](k8s::Conditions& conditions) {
      conditions.set_true("Accepted", "Accepted", "");
      conditions.set_false("Completed", failure_reason_, printable(failure_->message, longest_message));
    });
    if (!written) return fail(written.error());
    log::warning("a Conversion could not be completed; it is tried again",
                 {{"conversion", object_.key().to_string()},
                  {"error", printable(failure_->message, longest_message)}});
    return later("Completed");
  }

  Result<kube::Requeue> complete(const MigrationRequest& request) {
    auto written = write([&](k8s::Conditions& conditions) {
      conditions.set_true("Accepted", "Accepted", "");
      const std::string objects = std::to_string(object_.integer("status.objectsDone")) + " objects";
      if (request.dry_run) {
        conditions.set_true("Completed", "DryRun", objects + " would have been written");
      } else if (request.reaches_all()) {
        conditions.set_true("Completed", "Completed",
                            objects + "; " + request.new_version + " is the only stored version");
      } else {
        conditions.set_true("Completed", "Completed",
                            objects + "; storedVersions stays, as not all objects were reached");
      }
    });
    if (!written) return fail(written.error());
    return kube::done();
  }

  kube::Client& client_;
  Conversion object_;
  const MigrationPace& pace_;
  const std::stop_token& stop_;
  std::vector<KindProgress> kinds_;
  /// What went wrong with kinds, and the reason that goes with the first of them.
  std::optional<Error> failure_;
  std::string failure_reason_;
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
  return Run(client, Conversion(object->release()), pace, stop).run();
}

Result<kube::Requeue> note_conversion(kube::Client& client, Conversion object, const Limits& limits) {
  const auto accepted = k8s::find_condition(object, "Accepted");
  if (object.is_being_deleted() || (accepted && accepted->observed_generation() == object.generation()))
    return kube::done();
  const auto updated = kube::update_status(
      client, conversions(), object.key(), &object,
      [&](k8s::Dynamic& now) {
        k8s::Conditions conditions(now, Conversion::policy(), client.clock());
        for (const char* type : {"Accepted", "Completed"})
          conditions.unknown(type, "Pending", "it waits for its turn");
      },
      {.field_manager = "fairway"}, limits);
  if (!updated) return fail(updated.error());
  return kube::requeue_after(*updated);
}

void add_conversion_controller(kube::Manager& manager, const MigrationPace& pace) {
  const kube::Informer<Conversion> all = manager.informers().get<Conversion>();
  // One is worked on after the other, however long that takes; that it is known is said at once.
  manager.controller<Conversion>("conversion-pending")
      .when(kube::generation_changed)
      .reconcile([](const kube::Context& context, const Conversion& object) {
        return note_conversion(context.client(), object, context.limits());
      });
  manager.controller<Conversion>("conversion")
      .when(kube::generation_changed)
      .watches<k8s::CustomResourceDefinition>(
          [all](const k8s::CustomResourceDefinition& definition) {
            std::vector<k8s::Key> keys;
            for (const auto& one : all.cached()) {
              const auto completed = k8s::find_condition(*one, "Completed");
              if (one->text("spec.group") == definition.group() && !(completed && completed->is_true()))
                keys.push_back(one->key());
            }
            return keys;
          },
          kube::generation_changed)
      .reconcile([pace](const kube::Context& context, const Conversion& object) {
        return reconcile_conversion(context.client(), object.key(), pace, context.stop());
      });
}

}  // namespace fairway::conversion
