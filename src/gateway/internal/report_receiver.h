// Takes the reports of other replicas.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "http/message.h"
#include "xds/server.h"

namespace fairway::gateway {

/// How often a replica reports, whether or not there is anything new, and after how long one counts as
/// silent.
inline constexpr std::chrono::seconds report_every{5}, silent_after{15};

/// Safe from all threads.
class ReportReceiver {
 public:
  ReportReceiver(xds::Server& server, Clock& clock) : server_(server), clock_(clock) {}

  /// 204: taken; 409: the report that it changes is not known; 400: it is none.
  http::Response receive(const http::Request& request);
  /// Forgets the replicas that have been silent.
  void forget_silent();

 private:
  struct Heard {
    std::uint64_t number = 0;
    SteadyTime at;
    xds::Report report;
  };
  xds::Server& server_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Heard> heard_;
};

}  // namespace fairway::gateway
