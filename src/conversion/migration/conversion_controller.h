// The controller of Conversions: storage migrations with their state in the cluster.
#pragma once

#include "conversion/migration/internal/conversion_object.h"
#include "kube/controller/manager.h"

namespace fairway::conversion {

/// Adds the controller. Conversions are processed one at a time, page by page, with the progress in their
/// status: after a restart, or on another replica, it continues from there. A change of the spec restarts a
/// Conversion; deletion stops it. One that cannot start has the reason in Accepted, and is reconciled when a
/// definition of its group changes.
void add_conversion_controller(kube::Manager& manager, const MigrationPace& pace = {});

/// Reconciles a Conversion, which is read from the server. Returns when it is completed, cannot
/// start (yet), or has failed: then Completed has the reason, and it is requeued after as long as it
/// has been failing, between a minute and an hour. Errors: `cancelled`, and those of writing its
/// status.
Result<kube::Requeue> reconcile_conversion(kube::Client& client, const k8s::Key& key,
                                           const MigrationPace& pace, const std::stop_token& stop);

/// Sets Accepted and Completed to Unknown on a Conversion that has not been reconciled yet in its
/// current state. Errors: those of writing its status, except conflicts, after which it is
/// requeued.
Result<kube::Requeue> note_conversion(kube::Client& client, Conversion object, const Limits& limits = {});

}  // namespace fairway::conversion
