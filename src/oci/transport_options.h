// SPDX-License-Identifier: Apache-2.0

// Options of requests to servers of images and signatures.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"

namespace fairway::oci {

struct TransportOptions {
  std::vector<std::string> ca_files;  ///< trusted in addition to the machine's
  int retries = 4;                    ///< retries on 429, 5xx and broken connections
  int concurrency = 8;                ///< requests in flight
  /// Pause before the first retry; doubled for each further one.
  std::chrono::milliseconds backoff{500};
  Clock* clock = &Clock::system();  ///< clock of deadlines and waits; must outlive the client
};

}  // namespace fairway::oci
