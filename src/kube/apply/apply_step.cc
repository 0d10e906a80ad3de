// SPDX-License-Identifier: Apache-2.0

#include "kube/apply/apply_step.h"

#include <utility>

namespace fairway::kube {

namespace {

/// Applies the document, one attempt.
using Apply = std::function<ApiResult<k8s::Dynamic>(const Limits& limits)>;
/// Waits for the applied object.
using Wait = std::function<Result<std::optional<k8s::Dynamic>>(const k8s::Key& key, const Limits& limits)>;

bool may_pass(const ApiError& error) {
  // Without an answer about the object `not_found` is a kind that is not served.
  if (!error.is_answer()) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::not_found ||
           error.code == ErrorCode::deadline_exceeded;  // of the attempt
  }
  const int code = error.status.code();
  return code == 404 || code == 429 || code >= 500;
}

Result<k8s::Dynamic> apply_with_retries(Clock& clock, const Apply& apply, const ApplyStepOptions& options,
                                        const Limits& limits) {
  Backoff backoff(options.backoff, clock, system_random());
  for (int attempt = 1;; ++attempt) {
    auto applied = apply(limits.at_most(clock, options.attempt_timeout));
    if (applied) return *std::move(applied);
    const auto pause = backoff.next();
    // A pause beyond the deadline would lose the server's answer.
    if (attempt >= options.attempts || !may_pass(applied.error()) || pause >= limits.remaining(clock)) {
      return fail(applied.error());
    }
    clock.wait_until(clock.steady() + pause, limits.stop);
    if (limits.stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped, after " + applied.error().message);
    }
  }
}

Result<void> apply_and_wait_once(const std::shared_ptr<Client>& client, const Apply& apply, const Wait& wait,
                                 const ApplyStepOptions& options, const Limits& limits) {
  const Limits within = limits.at_most(client->clock(), options.timeout);
  const auto applied = apply_with_retries(client->clock(), apply, options, within);
  if (!applied) return fail(applied.error());
  if (!options.until || options.apply.dry_run) return {};
  const auto ready = wait(applied->key(), within);
  if (!ready) return fail(ready.error());
  return {};
}

}  // namespace

std::function<Result<void>(const Limits& limits)> apply_and_wait(std::shared_ptr<Client> client,
                                                                 k8s::GroupVersionResource resource,
                                                                 k8s::Dynamic document,
                                                                 ApplyStepOptions options) {
  return [client = std::move(client), resource = std::move(resource), document = std::move(document),
          options = std::move(options)](const Limits& limits) -> Result<void> {
    return apply_and_wait_once(
        client,
        [&](const Limits& within) { return client->apply(resource, document, options.apply, {}, within); },
        [&](const k8s::Key& key, const Limits& within) {
          return wait_until(client, resource, key, options.until, within);
        },
        options, limits);
  };
}

std::function<Result<void>(const Limits& limits)> apply_and_wait(DynamicClient objects, k8s::Dynamic document,
                                                                 ApplyStepOptions options) {
  return [objects = std::move(objects), document = std::move(document),
          options = std::move(options)](const Limits& limits) -> Result<void> {
    return apply_and_wait_once(
        objects.client(),
        [&](const Limits& within) { return objects.apply(document, options.apply, within); },
        [&](const k8s::Key& key, const Limits& within) -> Result<std::optional<k8s::Dynamic>> {
          const auto found = objects.mapper().find(document.group_version_kind(), within);
          if (!found) return fail(found.error());
          return wait_until(objects.client(), *found, key, options.until, within);
        },
        options, limits);
  };
}

}  // namespace fairway::kube
