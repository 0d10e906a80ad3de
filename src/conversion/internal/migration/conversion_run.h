// SPDX-License-Identifier: Apache-2.0

// The migration of one Conversion, with its state in the Conversion's status.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conversion/internal/migration/activity.h"
#include "conversion/internal/migration/write_rate.h"
#include "conversion/migration/conversion_object.h"
#include "k8s/conditions.h"
#include "kube/client/client.h"
#include "kube/controller/requeue.h"

namespace fairway::conversion {

/// The resource of Conversions.
const k8s::GroupVersionResource& conversions();

/// The migration of one Conversion: `prepare`, then, if that returns nothing, `migrate`. Each may run on
/// another thread, but not both at once.
class ConversionRun {
 public:
  /// `object` is the Conversion as the server has it. `client` is for its status, `objects` for definitions
  /// and the objects that are migrated; both must outlive the run. `rate` is shared with other runs;
  /// `activity` records each request of `migrate` that was answered.
  ConversionRun(kube::Client& client, kube::Client& objects, Conversion object, const MigrationPace& pace,
                std::shared_ptr<WriteRate> rate, std::shared_ptr<Activity> activity)
      : client_(client),
        objects_(objects),
        object_(std::move(object)),
        pace_(pace),
        rate_(std::move(rate)),
        activity_(std::move(activity)) {}

  /// Finds its kinds, and the progress of each. std::nullopt: it may migrate. Otherwise the result of the
  /// reconcile: it is completed, cannot start (yet), or waits for the settle time; its status has the reason.
  /// Errors: `cancelled`, those of reading the definitions, and of writing the status.
  Result<std::optional<kube::Requeue>> prepare(const std::stop_token& stop);
  /// The names of the definitions whose objects it will write. After `prepare`.
  std::vector<std::string> definitions() const;
  /// Writes the reason why it does not start yet into the status.
  Result<void> write_pending(const std::string& why, const std::stop_token& stop);
  /// Writes into the status that it was stopped because no request was answered for `timeout`. The kind that
  /// it was migrating then comes after the others.
  Result<void> write_stalled(std::chrono::nanoseconds timeout, const std::stop_token& stop);
  /// Writes the objects, with the progress in the status after each page. Returns when it is completed or has
  /// failed: then Completed has the reason, and it is requeued after as long as it has been failing, between
  /// a minute and an hour. Errors: `cancelled`, also if the Conversion is another one by now, and those of
  /// writing the status.
  Result<kube::Requeue> migrate(const std::stop_token& stop);

 private:
  Limits limits() const { return {.stop = stop_}; }
  Result<void> write(const std::function<void(k8s::Conditions& conditions)>& set_conditions);
  Result<void> write_progress();
  std::vector<KindProgress*> unfinished_in_order();
  void set_in_progress(k8s::Conditions& conditions, std::string_view reason,
                       const std::string& message) const;
  kube::Requeue retry_later(std::string_view condition) const;
  std::chrono::nanoseconds longest_settle() const;
  Result<std::optional<kube::Requeue>> settle(std::chrono::nanoseconds left);
  Result<std::optional<kube::Requeue>> refuse(std::string_view reason, const std::string& why);
  std::unexpected<Error> definitions_not_read(const Error& error);
  std::optional<k8s::ConditionError> find_quarantined();
  void add_failure(KindProgress& kind, const Error& error);
  Result<kube::Requeue> fail_for_now();
  Result<kube::Requeue> complete();

  kube::Client& client_;
  kube::Client& objects_;
  Conversion object_;
  const MigrationPace pace_;
  const std::shared_ptr<WriteRate> rate_;
  const std::shared_ptr<Activity> activity_;
  std::stop_token stop_;
  MigrationRequest request_;
  std::vector<KindProgress> kinds_;
  /// The error of the kinds that failed, and the reason that goes with the first of them.
  std::optional<Error> failure_;
  std::string failure_reason_;
};

}  // namespace fairway::conversion
