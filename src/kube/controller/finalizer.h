// Finalizers: work that has to be done before an object may go.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "kube/client/client.h"

namespace fairway::kube {

/// Adds or removes one finalizer, and touches no other. The patch holds the resourceVersion that it was made
/// for; where somebody else has written meanwhile, the object is read again and the patch made anew.
/// Gives the object as it is then. Nothing is sent where there is nothing to do.
/// Errors: `not_found` from adding where the object is gone, or is another one of that name; `conflict` where
/// others are faster again and again, or the object is being deleted already (to it nothing can be added).
ApiResult<k8s::Dynamic> add_finalizer(Client& client, const k8s::GroupVersionResource& resource,
                                      const k8s::Dynamic& object, std::string_view finalizer,
                                      const Limits& limits = {});
/// The same; an object that is gone is as good as one without the finalizer.
ApiResult<k8s::Dynamic> remove_finalizer(Client& client, const k8s::GroupVersionResource& resource,
                                         const k8s::Dynamic& object, std::string_view finalizer,
                                         const Limits& limits = {});

/// What became of an object with a finalizer.
enum class FinalizerState {
  present,   ///< the object has it, and is not being deleted: go on
  finished,  ///< the object is being deleted, and this finalizer does not hold it (any more): nothing to do
};

/// What a reconcile begins with: holds the object with the finalizer while it lives, and calls `cleanup` once
/// it is being deleted, before the finalizer is removed. `cleanup` may be called again after an error of its
/// own, of the removal, or a restart: it must be able to find its work done.
/// Errors: the cleanup's (the finalizer stays), and those of the two functions above.
Result<FinalizerState> finalize(Client& client, const k8s::GroupVersionResource& resource,
                                const k8s::Dynamic& object, std::string_view finalizer,
                                const std::function<Result<void>()>& cleanup, const Limits& limits = {});

/// The same for a typed object.
template <class T>
Result<FinalizerState> finalize(Client& client, const T& object, std::string_view finalizer,
                                const std::function<Result<void>()>& cleanup, const Limits& limits = {}) {
  return finalize(client, T::resource.group_version_resource(), object, finalizer, cleanup, limits);
}

}  // namespace fairway::kube
