#include "kube/controller/update_status.h"

#include <optional>
#include <string>
#include <utility>

#include "k8s/equality.h"
#include "kube/client/conflict.h"

namespace fairway::kube {

namespace {

/// Everything but the status.
json::Object without_status(const k8s::Dynamic& object) {
  json::Object rest = object.json();
  rest.erase("status");
  return rest;
}

bool same_status(const k8s::Dynamic& a, const k8s::Dynamic& b) {
  const json::Value* of_a = a.json().if_contains("status");
  const json::Value* of_b = b.json().if_contains("status");
  if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
  return k8s::equal(*of_a, *of_b);
}

}  // namespace

Requeue requeue_after(StatusUpdate update) {
  return update == StatusUpdate::outdated ? requeue_with_backoff() : done();
}

Result<StatusUpdate> update_status(Client& client, const k8s::GroupVersionResource& resource,
                                   const k8s::Key& key, const k8s::Dynamic* seen,
                                   const std::function<void(k8s::Dynamic& now)>& mutate,
                                   const WriteOptions& options, const Limits& limits) {
  const std::string what = "updating the status of " + resource.to_string() + " " + key.to_string();
  StatusUpdate outcome = StatusUpdate::written;
  const auto attempt = [&]() -> ApiResult<k8s::Dynamic> {
    outcome = StatusUpdate::written;
    auto read = client.get(resource, key, {}, limits);
    if (!read) {
      if (read.error().is_object_not_found()) outcome = StatusUpdate::gone;
      return read;
    }
    if (seen != nullptr && seen->generation() == 0 && read->generation() != 0) {
      return std::unexpected(
          ApiError(Error{ErrorCode::invalid,
                         what + ": the object that it was computed from has no metadata.generation, so it "
                                "cannot be told whether it is current; pass the object as it was read"}));
    }
    if (seen != nullptr && (seen->uid() != read->uid() || seen->generation() != read->generation())) {
      outcome = StatusUpdate::outdated;
      return read;
    }
    k8s::Dynamic now = *read;
    mutate(now);
    if (!k8s::equal(without_status(*read), without_status(now))) {
      return std::unexpected(ApiError(Error{
          ErrorCode::invalid, what + ": more than the status was changed, which would not be written"}));
    }
    if (same_status(*read, now)) {
      outcome = StatusUpdate::unchanged;
      return read;
    }
    auto written = client.replace(resource, now, "status", options, limits);
    if (written || !written.error().is_not_found()) return written;
    // Gone since it was read, or a kind whose status is written with the object.
    auto still = client.get(resource, key, {}, limits);
    if (!still) {
      if (still.error().is_object_not_found()) outcome = StatusUpdate::gone;
      return still;
    }
    if (still->uid() == read->uid()) {
      return std::unexpected(ApiError(
          Error{ErrorCode::invalid, what + ": the kind has no status subresource; enable it in its CRD"}));
    }
    outcome = StatusUpdate::outdated;
    return still;
  };
  const auto result = retry_on_conflict(client.clock(), attempt, {}, limits.stop);
  if (outcome == StatusUpdate::written && !result) return fail(static_cast<const Error&>(result.error()));
  return outcome;
}

}  // namespace fairway::kube
