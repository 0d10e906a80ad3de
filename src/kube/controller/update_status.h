// Writing the status of an object: only what changed, and only what is still true.
#pragma once

#include <functional>

#include "k8s/object.h"
#include "kube/client/client.h"
#include "kube/controller/requeue.h"

namespace fairway::kube {

/// What became of an update of a status.
enum class StatusUpdate {
  written,
  unchanged,  ///< no write needed
  outdated,   ///< uid or generation changed; nothing was written
  gone,       ///< the object does not exist
};

/// Reads the object, has `mutate` change its status, and writes it where that changed anything: exactly
/// compared, null and absent told apart. The write carries the resourceVersion that was read; after a
/// conflict it is read and mutated again, up to five times, so `mutate` depends on nothing but its argument
/// and what it holds. From the second time on the write is a JSON patch that tests uid, generation and
/// status, so that no writer of anything else holds it up: what `mutate` takes from other metadata may then
/// be older. Where the server refuses the patch, for example because the credentials may only `update`, the
/// write stays as it was.
///
/// `seen` (may be nullptr) is the object that the new status was computed from. Where the server has another
/// uid or generation by now, nothing is written, because it would describe a spec that was not
/// observed.
///
/// Errors: those of the calls, `not_found` where the server does not serve the kind, and `invalid` where
/// `mutate` changed more than the status, the kind has no status subresource, or `seen` has no generation and
/// the server's object has one; they name the object.
Result<StatusUpdate> update_status(Client& client, const k8s::GroupVersionResource& resource,
                                   const k8s::Key& key, const k8s::Dynamic* seen,
                                   const std::function<void(k8s::Dynamic& now)>& mutate,
                                   const WriteOptions& options = {}, const Limits& limits = {});

/// What a reconcile returns after it: an object that is outdated is requeued with backoff.
Requeue requeue_after(StatusUpdate update);

}  // namespace fairway::kube
