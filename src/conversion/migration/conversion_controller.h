// SPDX-License-Identifier: Apache-2.0

// The controller of Conversions: storage migrations with their state in the cluster.
#pragma once

#include <chrono>
#include <memory>

#include "conversion/migration/conversion_object.h"
#include "kube/controller/manager.h"

namespace fairway::conversion {

struct ConversionControllerOptions {
  /// The pace of each migration; `objects_per_second` is the limit of all together.
  MigrationPace pace = {};
  /// Migrations that run at once, at least one; others wait. A kind never has two at once.
  int concurrent_migrations = 4;
  /// A migration none of whose requests is answered for this long makes room for others: its Conversion is
  /// Stalled, and continues after those that wait. Waits that `pace` prescribes do not count.
  std::chrono::nanoseconds stall_timeout = std::chrono::minutes(5);
  /// Reconciles that run at once. They only start and stop migrations.
  int workers = 4;
  /// The client that reads definitions, and reads and writes the migrated objects, with the rights to do so;
  /// it writes only while this process leads. nullptr: the client of the manager, which writes the status of
  /// Conversions in any case.
  std::shared_ptr<kube::Client> objects = {};
};

/// Adds the controller, and the threads of its migrations. Conversions are processed concurrently, each page
/// by page, with the progress in its status: after a restart, or on another replica, it continues from there.
/// A change of the spec restarts a Conversion, deletion stops it, both at once. One that cannot start has the
/// reason in Accepted, and is reconciled when a definition of its group changes. One that waits for others is
/// planned again then, and keeps its place.
void add_conversion_controller(kube::Manager& manager, const ConversionControllerOptions& options = {});

/// Reconciles one Conversion, which is read from the server, on the caller's thread. Returns when it is
/// completed, cannot start (yet), or has failed: then Completed has the reason, and it is requeued after as
/// long as it has been failing, between a minute and an hour. Errors: `cancelled`, and those of writing its
/// status.
Result<kube::Requeue> reconcile_conversion(kube::Client& client, const k8s::Key& key,
                                           const MigrationPace& pace, const std::stop_token& stop);

/// Sets Accepted and Completed to Unknown on a Conversion that has not been reconciled yet in its
/// current state. Errors: those of writing its status, except conflicts, after which it is
/// requeued.
Result<kube::Requeue> record_conversion(kube::Client& client, Conversion object, const Limits& limits = {});

}  // namespace fairway::conversion
