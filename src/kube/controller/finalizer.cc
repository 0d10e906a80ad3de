// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/finalizer.h"

#include <string>
#include <utility>

#include "k8s/quarantine.h"
#include "kube/client/conflict.h"

namespace fairway::kube {

namespace {

/// Changes the list of finalizers of the object, first of the given object and after a conflict of the object
/// read again. `change` returns whether there is something to write.
ApiResult<k8s::Dynamic> patch_finalizers(Client& client, const k8s::GroupVersionResource& resource,
                                         const k8s::Dynamic& object, const Limits& limits,
                                         const std::function<ApiResult<bool>(k8s::Dynamic&)>& change) {
  const k8s::Key key = object.key();
  const std::string uid(object.uid());
  if (object.resource_version().empty()) {
    return std::unexpected(
        ApiError(Error{ErrorCode::invalid, "changing the finalizers of " + key.to_string() +
                                               ": the object is not from a server"}));
  }
  bool first = true;
  return retry_on_conflict(
      client.clock(),
      [&]() -> ApiResult<k8s::Dynamic> {
        k8s::Dynamic current = object;
        if (!std::exchange(first, false)) {
          auto read = client.get(resource, key, {}, limits);
          if (!read) return read;
          current = *std::move(read);
        }
        if (!uid.empty() && current.uid() != uid) {
          return std::unexpected(
              ApiError(Error{ErrorCode::not_found, key.to_string() + " is another object than it was"}));
        }
        const auto changed = change(current);
        if (!changed) return std::unexpected(changed.error());
        if (!*changed) return current;
        json::Array finalizers;
        for (const std::string_view one : current.finalizers()) finalizers.emplace_back(one);
        json::Object metadata{{"finalizers", std::move(finalizers)}};
        // A merge patch replaces the list: it must be the one that was read.
        metadata["resourceVersion"] = current.resource_version();
        if (!uid.empty()) metadata["uid"] = uid;
        const json::Value patch = json::Object{{"metadata", std::move(metadata)}};
        return client.patch(resource, key, PatchType::merge, patch, {}, {}, limits);
      },
      {}, limits.stop);
}

}  // namespace

ApiResult<k8s::Dynamic> add_finalizer(Client& client, const k8s::GroupVersionResource& resource,
                                      const k8s::Dynamic& object, std::string_view finalizer,
                                      const Limits& limits) {
  return patch_finalizers(client, resource, object, limits, [&](k8s::Dynamic& current) -> ApiResult<bool> {
    if (current.is_being_deleted() && !current.has_finalizer(finalizer)) {
      return std::unexpected(ApiError(
          Error{ErrorCode::conflict, "adding the finalizer " + std::string(finalizer) + " to " +
                                         current.key().to_string() + ": it is being deleted already"}));
    }
    return current.add_finalizer(finalizer);
  });
}

ApiResult<k8s::Dynamic> remove_finalizer(Client& client, const k8s::GroupVersionResource& resource,
                                         const k8s::Dynamic& object, std::string_view finalizer,
                                         const Limits& limits) {
  auto removed = patch_finalizers(client, resource, object, limits, [&](k8s::Dynamic& current) {
    return ApiResult<bool>(current.remove_finalizer(finalizer));
  });
  if (removed || removed.error().code != ErrorCode::not_found) return removed;
  k8s::Dynamic gone = object;
  gone.remove_finalizer(finalizer);
  return gone;
}

Result<FinalizerState> finalize(Client& client, const k8s::GroupVersionResource& resource,
                                const k8s::Dynamic& object, std::string_view finalizer,
                                const std::function<Result<void>()>& cleanup, const Limits& limits) {
  if (k8s::may_be_quarantined(resource.group) && k8s::has_only_marks(object)) {
    return fail(ErrorCode::conflict, "finalizing " + object.key().to_string() +
                                         ": it is quarantined, and what to clean up is not known");
  }
  if (!object.is_being_deleted()) {
    if (object.has_finalizer(finalizer)) return FinalizerState::present;
    const auto added = add_finalizer(client, resource, object, finalizer, limits);
    if (!added) return fail(added.error());
    return FinalizerState::present;
  }
  if (!object.has_finalizer(finalizer)) return FinalizerState::finished;
  if (auto cleaned = cleanup(); !cleaned) {
    return fail(cleaned.error().within("cleaning up after " + object.key().to_string()));
  }
  const auto removed = remove_finalizer(client, resource, object, finalizer, limits);
  if (!removed) return fail(removed.error());
  return FinalizerState::finished;
}

}  // namespace fairway::kube
