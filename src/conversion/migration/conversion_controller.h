// Carries out Conversions: storage migrations with their state in the cluster.
#pragma once

#include "conversion/migration/internal/conversion_object.h"
#include "kube/controller/manager.h"

namespace fairway::conversion {

/// Adds the controller. One Conversion after the other is worked on to its end, page by page, with its state
/// in its status: after a kill, or on another replica, it goes on where that was written down. A change of
/// its spec begins it anew; its deletion ends it. One that may not begin says why in Accepted, and is looked
/// at again when a definition of its group changes.
void add_conversion_controller(kube::Manager& manager, const MigrationPace& pace = {});

/// One look at a Conversion, which is read anew: what the controller does. Returns when it is completed,
/// cannot begin (yet), or has failed: then Completed says why, until it goes otherwise, and it is to be tried
/// again after as long as it has been failing, between a minute and an hour. Errors: `cancelled`, and those
/// of writing its status.
Result<kube::Requeue> reconcile_conversion(kube::Client& client, const k8s::Key& key,
                                           const MigrationPace& pace, const std::stop_token& stop);

/// Says of a Conversion that nobody has looked at yet, as it is now, that nothing is decided: Accepted and
/// Completed are Unknown. Errors: those of writing its status, but a conflict, after which it is to be looked
/// at once more.
Result<kube::Requeue> note_conversion(kube::Client& client, Conversion object,
                                      const kube::Limits& limits = {});

}  // namespace fairway::conversion
