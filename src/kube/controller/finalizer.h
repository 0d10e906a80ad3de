// SPDX-License-Identifier: Apache-2.0

// Finalizers: cleanup before an object is deleted.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "kube/client/client.h"

namespace fairway::kube {

/// Adds one finalizer, and no other. The patch carries the resourceVersion; on conflict the object is read
/// again and the patch recomputed. Returns the updated object. Sends nothing if there is nothing to change.
/// Errors: `not_found` if the object was deleted or recreated (another uid); `conflict` if retries are
/// exhausted, or if the object is already being deleted (finalizers cannot be added then).
ApiResult<k8s::Dynamic> add_finalizer(Client& client, const k8s::GroupVersionResource& resource,
                                      const k8s::Dynamic& object, std::string_view finalizer,
                                      const Limits& limits = {});
/// Removes one finalizer, as `add_finalizer` adds it. If the object is gone, it counts as one without the
/// finalizer.
ApiResult<k8s::Dynamic> remove_finalizer(Client& client, const k8s::GroupVersionResource& resource,
                                         const k8s::Dynamic& object, std::string_view finalizer,
                                         const Limits& limits = {});

/// The state of an object with a finalizer.
enum class FinalizerState {
  present,   ///< the object has it and is not being deleted: reconcile
  finished,  ///< the object is being deleted without this finalizer (any more): nothing to do
};

/// Adds the finalizer unless the object is being deleted; otherwise calls `cleanup` and then removes the
/// finalizer. It is the first step of a reconcile. `cleanup` must be idempotent: it is called again after an
/// error of its own or of the removal, and after a restart. Errors: those of `cleanup` (the finalizer stays),
/// and of the two functions above; `conflict` for a quarantined object, whose content is not known.
Result<FinalizerState> finalize(Client& client, const k8s::GroupVersionResource& resource,
                                const k8s::Dynamic& object, std::string_view finalizer,
                                const std::function<Result<void>()>& cleanup, const Limits& limits = {});

/// Adds the finalizer of a typed object, or finalizes it, as above.
template <class T>
Result<FinalizerState> finalize(Client& client, const T& object, std::string_view finalizer,
                                const std::function<Result<void>()>& cleanup, const Limits& limits = {}) {
  return finalize(client, T::resource.group_version_resource(), object, finalizer, cleanup, limits);
}

}  // namespace fairway::kube
