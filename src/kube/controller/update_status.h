// SPDX-License-Identifier: Apache-2.0

// Writing the status of an object: only what changed, and only what is still true.
#pragma once

#include <functional>

#include "k8s/object.h"
#include "kube/client/client.h"
#include "kube/controller/requeue.h"

namespace fairway::kube {

/// The outcome of a status update.
enum class StatusUpdate {
  written,
  unchanged,  ///< no write needed
  outdated,   ///< uid or generation changed; nothing was written
  gone,       ///< the object does not exist
};

/// Reads the object, lets `mutate` change its status, and writes it if that changed anything. The comparison
/// is exact: null and absent differ. The write carries the resourceVersion that was read. After a conflict
/// the object is read and mutated again, up to five times, so `mutate` must depend only on its argument and
/// its captures. From the second time on the write is a JSON patch that tests uid, generation and status, so
/// that writers of other parts cannot delay it. Values that `mutate` takes from other metadata may then be
/// outdated. If the server refuses the patch, for example because the credentials may only `update`, the
/// whole object is written as before.
///
/// `seen` (may be nullptr) is the object that the new status was computed from. If the server's object has
/// another uid or generation, nothing is written, because the status would describe a spec that was not
/// observed.
///
/// Errors: those of the calls, `not_found` if the server does not serve the kind, and `invalid` if `mutate`
/// changed more than the status, if the kind has no status subresource, or if `seen` has no generation and
/// the server's object has one; they name the object.
Result<StatusUpdate> update_status(Client& client, const k8s::GroupVersionResource& resource,
                                   const k8s::Key& key, const k8s::Dynamic* seen,
                                   const std::function<void(k8s::Dynamic& now)>& mutate,
                                   const WriteOptions& options = {}, const Limits& limits = {});

/// Returns the outcome of a reconcile after an update: an outdated object is requeued with backoff.
Requeue requeue_after(StatusUpdate update);

}  // namespace fairway::kube
