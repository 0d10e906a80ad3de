// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/service_metrics.h"

#include <algorithm>

#include "graph/problem.h"

namespace fairway::updateservice {
namespace {

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Returns the number of the calling thread, which selects its shard of the counters.
std::size_t thread_number() {
  static std::atomic<std::size_t> last{0};
  thread_local const std::size_t number = last++;
  return number;
}

const std::vector<double> serve_bounds{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5};
const std::vector<double> refresh_bounds{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600};
constexpr const char* requests_name = "fairway_http_requests_total";
constexpr const char* requests_help = "Requests answered, by endpoint and status code.";
constexpr const char* incoming_name = "cincinnati_pe_graph_incoming_requests_total";
constexpr const char* incoming_help = "Requests for known paths.";
constexpr const char* errors_name = "cincinnati_pe_graph_response_errors_total";
constexpr const char* errors_help = "Replies with an error body, by status code and kind.";

std::string_view text_of(RefreshResult result) {
  switch (result) {
    case RefreshResult::changed:
      return "changed";
    case RefreshResult::unchanged:
      return "unchanged";
    case RefreshResult::failed:
      break;
  }
  return "failed";
}

}  // namespace

std::string_view to_string(Endpoint endpoint) {
  static constexpr std::array<std::string_view, endpoint_count> names{
      "graph",   "v1/graph", "channels", "openapi", "graph-data", "signatures", "problems",
      "explain", "updates",  "path",     "changes", "stranded",   "other"};
  return names[static_cast<std::size_t>(endpoint)];
}

ServiceMetrics::ServiceMetrics(const std::string& path_prefix, const std::string& version)
    : prefix_(path_prefix) {
  metrics::Registry& r = registry_;
  r.gauge("fairway_build_info", "1, with the version as a label.", {{"version", version}}).set(1);
  for (const char* name : {"cincinnati_gb_build_info", "cincinnati_pe_build_info"}) {
    r.gauge(name, "1, with the version as a label.", {{"git_commit", version}}).set(1);
  }
  serve_duration_ = r.histogram("cincinnati_pe_graph_serve_duration_seconds",
                                "Time that handlers took for one reply.", serve_bounds);
  refresh_duration_ = r.histogram("fairway_refresh_duration_seconds",
                                  "Time that one refresh of the sources took.", refresh_bounds);
  publish_duration_ =
      r.histogram("fairway_publish_duration_seconds",
                  "Time that making and swapping in all bodies of a build took.", refresh_bounds);
  scrape_duration_ =
      r.histogram("cincinnati_gb_graph_upstream_scrapes_duration",
                  "Time that one look at the release sources took, in seconds.", refresh_bounds);
  ready_ = r.gauge("fairway_ready", "1 when there is a graph to serve and the service is not stopping.");
  stale_ = r.gauge("fairway_graph_stale", "1 while the graph is the last good one, because a source fails.");
  age_ = r.gauge("fairway_graph_age_seconds", "Time since the last refresh in which every source answered.");
  last_good_ = r.gauge("fairway_graph_last_good_timestamp_seconds",
                       "Unix time of the last refresh in which every source answered.");
  last_good_today_ = r.gauge("cincinnati_gb_graph_last_successful_refresh_timestamp",
                             "Unix time of the last refresh in which every source answered.");
  releases_ = r.gauge("fairway_releases", "Releases in the graph, of all architectures.");
  final_releases_ =
      r.gauge("cincinnati_gb_graph_final_releases", "Releases in the graph, of all architectures.");
  raw_releases_ =
      r.gauge("cincinnati_gb_graph_upstream_raw_releases", "Releases as they came from the sources.");
  channels_ = r.gauge("fairway_channels", "Channels in the graph.");
  bytes_ = r.gauge("fairway_published_bytes", "Bytes of all bodies that are held to be served.");
  held_ = r.gauge("fairway_widening_held_blocks",
                  "Blocks that the newest refresh would lift, while it is held for that; 0 while none is.");
  compared_ = r.gauge("fairway_graph_compared",
                      "0 while nothing is served, or a graph that was compared with none and that nobody has "
                      "accepted; else 1.");
  kept_ = r.gauge("fairway_graph_kept", "0 while the last good graph cannot be written to disk; else 1.");
  kept_.set(1);
  upstream_errors_ = r.counter("fairway_upstream_errors_total", "Requests to sources that failed.");
  upstream_errors_today_ =
      r.counter("cincinnati_gb_graph_upstream_errors_total", "Requests to sources that failed.");
  scrapes_ = r.counter("cincinnati_gb_graph_upstream_scrapes_total", "Looks at the release sources.");
  connections_open_ = r.gauge("fairway_http_connections_open", "Connections that are open.");
  streams_open_ = r.gauge("fairway_http_streams_open", "Requests and replies that are open over HTTP/2.");
  connections_ = r.counter("fairway_http_connections_total", "Connections that were accepted.");
  refused_ = r.counter("fairway_http_refused_total",
                       "Requests that the server itself refused: garbage, too large, too slow, too many.");
  unfinished_ = r.gauge("fairway_http_unfinished_requests", "Requests that have only begun to come.");
  unread_ = r.gauge("fairway_http_unread_bytes", "Memory of replies that wait for their readers.");
  constexpr std::array<const char*, 3> limits{"connections", "memory", "replies"};
  for (std::size_t i = 0; i < overloaded_.size(); ++i) {
    overloaded_[i] = r.gauge("fairway_http_overloaded", "1 where nine tenths of a limit are in use.",
                             {{"limit", limits[i]}});
  }
  constexpr std::array<const char*, 5> reasons{"idle", "slow", "address", "full", "memory"};
  for (std::size_t i = 0; i < shed_.size(); ++i) {
    shed_[i] = r.counter("fairway_http_shed_total", "Connections that were closed before their end, and why.",
                         {{"reason", reasons[i]}});
  }
  for (const std::string_view kind : graph::problem_kind::all) {
    problems_[std::string(kind)] = r.gauge(
        "fairway_problems", "Problems in the inputs of the graph, by kind.", {{"kind", std::string(kind)}});
  }
  // Series that alerts are written for are there from the start.
  for (const RefreshResult result :
       {RefreshResult::changed, RefreshResult::unchanged, RefreshResult::failed}) {
    refreshes_[static_cast<std::size_t>(result)] = r.counter(
        "fairway_refreshes_total", "Refreshes of the sources.", {{"result", std::string(text_of(result))}});
  }
  for (const bool ok : {false, true}) {
    const char* result = ok ? "ok" : "failed";
    stores_[ok] = r.counter("fairway_store_writes_total", "Writes of the last good graph to disk.",
                            {{"result", result}});
    reloads_[ok] = r.counter("fairway_reloads_total",
                             "Reloads of the configuration (SIGHUP, or changed certificate files).",
                             {{"result", result}});
  }
  r.counter(requests_name, requests_help, {{"endpoint", "graph"}, {"code", "200"}});
  r.counter(incoming_name, incoming_help, {{"uri_path", prefix_ + "/graph"}});
  r.counter(errors_name, errors_help, {{"code", "400"}, {"kind", "missing_params"}});
}

void ServiceMetrics::count_request(Endpoint endpoint, int status, std::chrono::nanoseconds took) {
  const auto code =
      static_cast<std::size_t>(std::ranges::find(codes.begin(), codes.end() - 1, status) - codes.begin());
  shards_[thread_number() % shard_count]
      .requests[static_cast<std::size_t>(endpoint) * codes.size() + code]
      .fetch_add(1, std::memory_order_relaxed);
  serve_duration_.observe(seconds(took));
}

void ServiceMetrics::count_error(int status, std::string_view kind) {
  registry_.counter(errors_name, errors_help, {{"code", std::to_string(status)}, {"kind", std::string(kind)}})
      .add();
}

void ServiceMetrics::refreshed(RefreshResult result, std::chrono::nanoseconds took, bool with_releases,
                               std::size_t upstream_errors) {
  refreshes_[static_cast<std::size_t>(result)].add();
  refresh_duration_.observe(seconds(took));
  upstream_errors_.add(static_cast<double>(upstream_errors));
  upstream_errors_today_.add(static_cast<double>(upstream_errors));
  if (!with_releases) return;
  scrapes_.add();
  scrape_duration_.observe(seconds(took));
}

void ServiceMetrics::built(const graph::Snapshot& snapshot, const std::vector<graph::Problem>& problems,
                           std::size_t raw_releases) {
  std::size_t releases = 0;
  for (const graph::Architecture& architecture : snapshot.architectures)
    releases += architecture.releases.size();
  releases_.set(static_cast<double>(releases));
  final_releases_.set(static_cast<double>(releases));
  raw_releases_.set(static_cast<double>(raw_releases));
  channels_.set(static_cast<double>(snapshot.channels.size()));
  std::map<std::string_view, double> counts;
  for (const auto* list : {&snapshot.problems, &problems}) {
    for (const graph::Problem& problem : *list) ++counts[problem.kind];
  }
  for (auto& [kind, gauge] : problems_) gauge.set(counts.contains(kind) ? counts[kind] : 0);
}

void ServiceMetrics::published(const Responses& responses, std::chrono::nanoseconds took) {
  publish_duration_.observe(seconds(took));
  bytes_.set(static_cast<double>(responses.bytes()));
}

void ServiceMetrics::held(std::size_t blocks) {
  held_.set(static_cast<double>(blocks));
}

void ServiceMetrics::set_compared(bool compared) {
  compared_.set(compared ? 1 : 0);
}

void ServiceMetrics::set_kept(bool kept) {
  kept_.set(kept ? 1 : 0);
}

void ServiceMetrics::set_last_good(WallTime time) {
  const double unix_time = std::chrono::duration<double>(time.time_since_epoch()).count();
  last_good_.set(unix_time);
  last_good_today_.set(unix_time);
}

void ServiceMetrics::stored(bool ok) {
  stores_[ok].add();
}

void ServiceMetrics::reloaded(bool ok) {
  reloads_[ok].add();
}

void ServiceMetrics::collect_requests() {
  for (std::size_t endpoint = 0; endpoint < endpoint_count; ++endpoint) {
    std::uint64_t of_endpoint = 0;
    const std::string name(to_string(static_cast<Endpoint>(endpoint)));
    for (std::size_t code = 0; code < codes.size(); ++code) {
      const std::size_t slot = endpoint * codes.size() + code;
      std::uint64_t total = 0;
      for (const Shard& shard : shards_) total += shard.requests[slot].load(std::memory_order_relaxed);
      const std::uint64_t more = total - collected_[slot];
      if (more == 0) continue;
      collected_[slot] = total;
      of_endpoint += more;
      const std::string text = codes[code] == 0 ? "other" : std::to_string(codes[code]);
      registry_.counter(requests_name, requests_help, {{"endpoint", name}, {"code", text}})
          .add(static_cast<double>(more));
    }
    // Only known paths: a series for each requested path would grow without bound.
    if (of_endpoint == 0 || static_cast<Endpoint>(endpoint) == Endpoint::other) continue;
    registry_.counter(incoming_name, incoming_help, {{"uri_path", prefix_ + "/" + name}})
        .add(static_cast<double>(of_endpoint));
  }
}

std::string ServiceMetrics::text(const ServingState& serving, const http::Server* server) {
  const std::lock_guard lock(collecting_);
  collect_requests();
  ready_.set(serving.not_ready() ? 0 : 1);
  stale_.set(serving.stale() ? 1 : 0);
  age_.set(static_cast<double>(serving.age().count()));
  if (server != nullptr) {
    const http::ServerCounts now = server->counts();
    connections_open_.set(static_cast<double>(now.connections_open));
    streams_open_.set(static_cast<double>(now.streams_open));
    connections_.add(static_cast<double>(now.connections_total - server_before_.connections_total));
    refused_.add(static_cast<double>(now.refused - server_before_.refused));
    unfinished_.set(static_cast<double>(now.unfinished));
    unread_.set(static_cast<double>(now.unread_bytes));
    overloaded_[0].set(now.overloaded_connections ? 1 : 0);
    overloaded_[1].set(now.overloaded_memory ? 1 : 0);
    overloaded_[2].set(now.overloaded_replies ? 1 : 0);
    const http::ServerCounts& before = server_before_;
    shed_[0].add(static_cast<double>(now.shed_idle - before.shed_idle));
    shed_[1].add(static_cast<double>(now.shed_slow - before.shed_slow));
    shed_[2].add(static_cast<double>(now.shed_address - before.shed_address));
    shed_[3].add(static_cast<double>(now.shed_full - before.shed_full));
    shed_[4].add(static_cast<double>(now.shed_memory - before.shed_memory));
    server_before_ = now;
  }
  return registry_.text();
}

}  // namespace fairway::updateservice
