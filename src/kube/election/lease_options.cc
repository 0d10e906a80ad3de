// SPDX-License-Identifier: Apache-2.0

#include "kube/election/lease_options.h"

#include <unistd.h>

#include <array>
#include <random>

#include "base/clock.h"

namespace fairway::kube {

Result<void> check(const LeaseOptions& options) {
  const std::string doing =
      "preparing leader election with the lease " + options.namespace_name + "/" + options.name + ": ";
  if (options.name.empty() || options.namespace_name.empty()) {
    return fail(ErrorCode::invalid, doing + "the lease needs a namespace and a name");
  }
  if (options.duration < std::chrono::seconds(1)) {
    return fail(ErrorCode::invalid, doing + "a lease lasts at least one second");
  }
  if (options.renew_deadline >= options.duration) {
    return fail(ErrorCode::invalid, doing + "the deadline for renewal (" +
                                        format_duration(options.renew_deadline) +
                                        ") must be shorter than the lease (" +
                                        format_duration(options.duration) + "), or two would lead at once");
  }
  if (options.retry_period <= std::chrono::nanoseconds(0) ||
      options.renew_deadline.count() * 10 <= options.retry_period.count() * 12) {
    return fail(ErrorCode::invalid, doing + "the time between attempts (" +
                                        format_duration(options.retry_period) +
                                        ") must be above 0, and 1.2 of it shorter than the deadline (" +
                                        format_duration(options.renew_deadline) + ")");
  }
  return {};
}

std::string unique_identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device random;
  static constexpr std::string_view hex = "0123456789abcdef";
  std::string identity = std::string(host.data()) + "_";
  for (int digit = 0; digit < 16; ++digit) identity += hex[random() % 16];
  return identity;
}

}  // namespace fairway::kube
