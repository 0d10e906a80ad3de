// SPDX-License-Identifier: Apache-2.0

// Takes the reports of other replicas.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"
#include "http/message.h"
#include "xds/server.h"

namespace fairway::gateway {

/// Interval at which a replica reports even if nothing has changed, and time after which it counts as silent.
inline constexpr std::chrono::seconds report_every{3}, silent_after{10};

/// Receives the reports of other replicas about their Envoys. Thread-safe.
class ReportReceiver {
 public:
  ReportReceiver(std::string identity, xds::DiscoveryServer& server, Clock& clock)
      : identity_(std::move(identity)), server_(server), clock_(clock) {}

  /// Handles a report. 204: it is accepted, or older than the last one; 409: the report that it is based on
  /// is not known; 400: it is not a report, or meant for another replica.
  http::Response receive(const http::Request& request);
  /// Forgets the replicas that have been silent.
  void forget_silent() { forget(silent_after); }
  /// Forgets all replicas, once this one does not lead any more.
  void forget_all() { forget(std::chrono::seconds(0)); }

 private:
  struct Heard {
    std::uint64_t number = 0;
    SteadyTime at;
    xds::Report report;
  };
  void forget(std::chrono::seconds silent_for);

  const std::string identity_;
  xds::DiscoveryServer& server_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Heard> heard_;
};

}  // namespace fairway::gateway
