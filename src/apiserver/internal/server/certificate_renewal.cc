// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/server/certificate_renewal.h"

#include <utility>

#include "base/log.h"

namespace fairway::apiserver::server {

CertificateRenewal::CertificateRenewal(RenewalOptions options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void CertificateRenewal::run(const std::stop_token& stop) {
  Clock& clock = *options_.clock;
  while (clock.wait_until(clock.steady() + options_.every, stop)) {
    if (clock.now() + options_.before < options_.ends) continue;
    const auto renewed = options_.renew();
    if (renewed) {
      options_.ends = *renewed;
      log::info("the server's certificate was renewed", {{"ends", format_time(*renewed)}});
    } else {
      log::error("the server's certificate was not renewed, and is tried again",
                 {{"ends", format_time(options_.ends)}, {"error", renewed.error().message}});
    }
  }
}

}  // namespace fairway::apiserver::server
