// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/class_finalizers.h"

#include <chrono>
#include <optional>
#include <string>

#include "base/log.h"
#include "gateway/internal/attachment/used_classes.h"
#include "kube/controller/finalizer.h"

namespace fairway::gateway {

namespace {

constexpr std::chrono::minutes until_asked_again{1};

}  // namespace

Result<void> ClassFinalizers::write(const Objects& objects, kube::Client& client, const Limits& limits) {
  static const k8s::GroupVersionResource classes{std::string(gateway_group), "v1", "gatewayclasses"};
  const SteadyTime now = client.clock().steady();
  if (now < refused_until_) return {};
  std::optional<Error> failure;
  for (const FinalizerChange& change : finalizer_changes(objects)) {
    const auto written =
        change.is_used ? kube::add_finalizer(client, classes, *change.object, class_finalizer, limits)
                       : kube::remove_finalizer(client, classes, *change.object, class_finalizer, limits);
    // A class that has been deleted meanwhile, or made again, is another one by the next pass.
    if (written || written.error().code == ErrorCode::not_found ||
        written.error().code == ErrorCode::conflict)
      continue;
    const Error error = written.error().within("changing the finalizers of " + describe(*change.object));
    if (error.code == ErrorCode::forbidden) {
      refused_until_ = now + until_asked_again;
      log::warning("GatewayClasses in use can be deleted: this controller needs the verb patch for them",
                   {{"error", error.message}});
      return {};
    }
    failure = error;
  }
  if (failure) return fail(*std::move(failure));
  return {};
}

}  // namespace fairway::gateway
