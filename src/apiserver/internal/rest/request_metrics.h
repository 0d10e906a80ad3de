// SPDX-License-Identifier: Apache-2.0

// Metrics of requests on `/metrics`, under kube-apiserver's names.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/access/attributes.h"
#include "apiserver/internal/flow/waits.h"
#include "apiserver/internal/storage/storage.h"
#include "base/metrics.h"
#include "http/flow.h"

namespace fairway::apiserver::rest {

/// The metrics of requests. Safe from all threads.
class RequestMetrics {
 public:
  RequestMetrics();

  /// A request that is being answered.
  class InFlight {
   public:
    InFlight(RequestMetrics& metrics, std::string_view method);
    ~InFlight();
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    metrics::Gauge& gauge_;
  };

  /// Counts a request. `attributes` are those of a resource that is served, so that labels are bounded.
  /// `took` is not counted for watches, which last as long as their client likes.
  void count(const access::Attributes& attributes, bool dry_run, int code, std::chrono::nanoseconds took);

  /// The current values that are shown.
  struct Now {
    std::size_t open_watches = 0;
    /// Number of objects by resource.
    const std::map<std::string, std::size_t>& objects;
    const storage::StorageCounts& storage;
    const std::vector<http::FlowCounts>& flows;
    const flow::Waits::Counts& waits;
  };
  /// The metrics as text.
  std::string text(const Now& now);

 private:
  /// A counter that shows a number counted elsewhere.
  struct Shown {
    metrics::Counter counter;
    std::uint64_t shown = 0;
  };
  void show(const std::string& name, const std::string& help, const metrics::Labels& labels,
            std::uint64_t count);
  void show_flows(const std::vector<http::FlowCounts>& flows, const flow::Waits::Counts& waits);

  struct Series {
    metrics::Counter total;
    metrics::Histogram duration;
  };

  metrics::Registry registry_;
  metrics::Gauge reading_, writing_, watching_;
  metrics::Gauge size_, used_, quota_, history_, full_;
  std::mutex mutex_;
  std::map<std::string, Series, std::less<>> series_;
  std::map<std::string, metrics::Gauge, std::less<>> objects_;
  std::map<std::pair<std::string, metrics::Labels>, Shown> shown_;
};

}  // namespace fairway::apiserver::rest
