#include "kube/apply/apply_step.h"

#include <utility>

namespace fairway::kube {

namespace {

bool may_pass(const ApiError& error) {
  if (!error.is_answer()) return error.code == ErrorCode::unavailable;
  const int code = error.status.code();
  return code == 404 || code == 429 || code >= 500;
}

Result<k8s::Dynamic> apply_with_retries(Client& client, const k8s::GroupVersionResource& resource,
                                        const k8s::Dynamic& document, const ApplyStepOptions& options,
                                        const Limits& limits) {
  Clock& clock = client.clock();
  Backoff backoff(options.backoff, clock, system_random());
  for (int attempt = 1;; ++attempt) {
    auto applied = client.apply(resource, document, options.apply, {}, limits);
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

}  // namespace

std::function<Result<void>(const Limits& limits)> apply_and_wait(std::shared_ptr<Client> client,
                                                                 k8s::GroupVersionResource resource,
                                                                 k8s::Dynamic document,
                                                                 ApplyStepOptions options) {
  return [client = std::move(client), resource = std::move(resource), document = std::move(document),
          options = std::move(options)](const Limits& limits) -> Result<void> {
    const Limits within = limits.at_most(client->clock(), options.timeout);
    const auto applied = apply_with_retries(*client, resource, document, options, within);
    if (!applied) return fail(applied.error());
    if (!options.until || options.apply.dry_run) return {};
    const auto ready = wait_until(client, resource, applied->key(), options.until, within);
    if (!ready) return fail(ready.error());
    return {};
  };
}

}  // namespace fairway::kube
