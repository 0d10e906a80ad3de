// SPDX-License-Identifier: Apache-2.0

// A certificate that is replaced before it ends.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::apiserver::server {

struct RenewalOptions {
  /// Time at which the certificate that is served now expires.
  WallTime ends;
  /// Serves another certificate, and returns the time at which that expires.
  std::function<Result<WallTime>()> renew;
  /// Time before its end at which a certificate is replaced.
  std::chrono::hours before{24 * 30};
  /// Interval at which the time is checked, and a failed renewal is retried. It is short, so that a
  /// renewal is in time even if the machine slept or its clock was set.
  std::chrono::minutes every{60};
  Clock* clock = &Clock::system();
};

/// Renews a certificate in a thread of its own, as long as it lives. Failures are logged.
class CertificateRenewal {
 public:
  explicit CertificateRenewal(RenewalOptions options);

 private:
  void run(const std::stop_token& stop);

  RenewalOptions options_;
  std::jthread thread_;
};

}  // namespace fairway::apiserver::server
