// A certificate that is replaced before it ends.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::apiserver {

struct RenewalOptions {
  /// When the certificate that is served now ends.
  WallTime ends;
  /// Serves another one, and says when that ends.
  std::function<Result<WallTime>()> renew;
  /// How long before its end a certificate is replaced.
  std::chrono::hours before{24 * 30};
  /// How often the time is looked at, and a renewal that failed is tried again: a machine that slept, or
  /// whose clock was set, is not surprised.
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

}  // namespace fairway::apiserver
