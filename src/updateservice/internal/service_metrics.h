// SPDX-License-Identifier: Apache-2.0

// The update service's metrics: names of its own, and those of today's service where the meaning is the same.
// All are listed in docs/metrics.md.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "graph/snapshot.h"
#include "http/server.h"
#include "updateservice/internal/serving_state.h"

namespace fairway::updateservice {

/// The endpoint of a request, as in the labels of metrics.
enum class Endpoint {
  graph,
  graph_v1,
  channels,
  openapi,
  graph_data,
  signatures,
  problems,
  explain,
  updates,
  path,
  changes,
  stranded,
  other,
};
inline constexpr std::size_t endpoint_count = static_cast<std::size_t>(Endpoint::other) + 1;

/// Returns "graph", "v1/graph", ...: also the path below the prefix.
std::string_view to_string(Endpoint endpoint);

/// The result of one refresh.
enum class RefreshResult { changed, unchanged, failed };

class ServiceMetrics {
 public:
  /// Makes the metrics; `path_prefix` as in ServiceOptions.
  ServiceMetrics(const std::string& path_prefix, const std::string& version);

  /// Counts one answered request. Cheap: a counter of the calling thread's shard, and one histogram.
  void count_request(Endpoint endpoint, int status, std::chrono::nanoseconds took);
  /// Counts a reply with an error body; `kind` is one of error_kinds.
  void count_error(int status, std::string_view kind);

  void refreshed(RefreshResult result, std::chrono::nanoseconds took, bool with_releases,
                 std::size_t upstream_errors);
  /// Records a build; `problems` are those beside the snapshot's.
  void built(const graph::Snapshot& snapshot, const std::vector<graph::Problem>& problems,
             std::size_t raw_releases);
  void published(const Responses& responses, std::chrono::nanoseconds took);
  /// Sets the number of blocks that the newest refresh would lift, if it is held; else 0.
  void held(std::size_t blocks);
  /// Sets whether the served graph was compared with an earlier one, or accepted.
  void set_compared(bool compared);
  /// Sets whether the newest attempt to write the last good graph, or data left over from earlier ones,
  /// succeeded.
  void set_kept(bool kept);
  void set_last_good(WallTime time);
  void stored(bool ok);
  void reloaded(bool ok);

  /// Returns the exposition text, counters of all threads and of the server included; `server` may be null.
  std::string text(const ServingState& serving, const http::Server* server);

 private:
  static constexpr std::array<int, 14> codes{200, 204, 304, 400, 401, 404, 405,
                                             406, 410, 429, 500, 501, 503, 0};
  static constexpr std::size_t shard_count = 8;
  struct alignas(64) Shard {
    std::array<std::atomic<std::uint64_t>, endpoint_count * codes.size()> requests{};
  };

  void collect_requests();

  std::array<Shard, shard_count> shards_;  ///< first member, as its alignment would leave gaps elsewhere
  metrics::Registry registry_;
  const std::string prefix_;
  std::mutex collecting_;
  std::array<std::uint64_t, endpoint_count * codes.size()> collected_{};
  http::ServerCounts server_before_;
  metrics::Histogram serve_duration_, refresh_duration_, publish_duration_, scrape_duration_;
  metrics::Gauge ready_, stale_, age_, releases_, raw_releases_, channels_, bytes_, last_good_,
      last_good_today_, final_releases_, held_, compared_, kept_, connections_open_, streams_open_,
      unfinished_, unread_;
  std::array<metrics::Gauge, 3> overloaded_;  ///< overload by connections, by memory of requests, and by
                                              ///< memory of replies
  std::array<metrics::Counter, 5> shed_;
  std::array<metrics::Counter, 3> refreshes_;
  std::array<metrics::Counter, 2> stores_, reloads_;  ///< failed, ok
  metrics::Counter upstream_errors_, upstream_errors_today_, scrapes_, connections_, refused_;
  std::map<std::string, metrics::Gauge, std::less<>> problems_;
};

/// Kinds of error bodies; the first ones are today's service's.
inline constexpr std::array<std::string_view, 8> error_kinds{
    "missing_params", "invalid_params", "invalid_content_type", "does_not_exist", "unauthorized", "not_ready",
    "refused",        "internal"};

}  // namespace fairway::updateservice
