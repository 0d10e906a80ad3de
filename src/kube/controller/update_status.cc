// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/update_status.h"

#include <optional>
#include <string>
#include <utility>

#include "k8s/equality.h"
#include "kube/client/conflict.h"

namespace fairway::kube {

namespace {

/// Returns the object without its status.
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

/// Writes the status of `now` if the server's object still has the generation and the status of `read`,
/// whatever else has changed. `read` must have both. Error: 422 if the server's object differs in them.
ApiResult<k8s::Dynamic> patch_status(Client& client, const k8s::GroupVersionResource& resource,
                                     const k8s::Dynamic& read, const k8s::Dynamic& now,
                                     const WriteOptions& options, const Limits& limits) {
  json::Array patch;
  const auto add = [&patch](const char* op, const char* path, const json::Value* value) {
    json::Object operation{{"op", op}, {"path", path}};
    if (value != nullptr) operation["value"] = *value;
    patch.emplace_back(std::move(operation));
  };
  const json::Value uid(std::string(read.uid())), generation(read.generation());
  add("test", "/metadata/uid", &uid);
  add("test", "/metadata/generation", &generation);
  add("test", "/status", read.json().if_contains("status"));
  const json::Value* status = now.json().if_contains("status");
  add(status != nullptr ? "replace" : "remove", "/status", status);
  return client.patch(resource, read.key(), PatchType::json, std::move(patch), "status", options, limits);
}

/// Returns whether a write of the whole object may still succeed: the server refused the patch itself, or
/// patches in general.
bool refuses_patch(const ApiError& error) {
  return error.is_answer() && !error.is_conflict() && error.status.code() != 429;
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
  int attempts = 0;
  const auto attempt = [&]() -> ApiResult<k8s::Dynamic> {
    const bool was_changed = attempts++ > 0;
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
    // Somebody else writes the object at this moment, and may again be quicker than a read and a write.
    if (was_changed && read->generation() != 0 && read->json().contains("status")) {
      auto patched = patch_status(client, resource, *read, now, options, limits);
      if (patched || !refuses_patch(patched.error())) return patched;
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
