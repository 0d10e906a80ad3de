// SPDX-License-Identifier: Apache-2.0

#include "gateway/envoy_process.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/backoff.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "gateway/internal/envoy/envoy_admin.h"
#include "gateway/internal/envoy/envoy_child.h"
#include "gateway/internal/envoy/overload_manager.h"
#include "gateway/internal/translation/envoy_json.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

namespace {

/// Interval at which running Envoys are checked, and time that they may take to end after SIGTERM.
constexpr std::chrono::milliseconds poll_interval{20};
constexpr std::chrono::seconds end_limit{5};
/// Interval at which a draining Envoy is asked for its connections, and time that it may take to answer.
constexpr std::chrono::milliseconds drain_poll_interval{100};
constexpr std::chrono::seconds answer_limit{1};

constexpr const char* xds_cluster = "fairway_xds";

std::filesystem::path admin_socket(const EnvoyOptions& options) {
  return options.data / "envoy-admin.sock";
}

/// Returns the number of file descriptors that Envoy may have: `EnvoyChild` raises its limit to this
/// process's hard limit.
std::uint64_t descriptors_of_envoy() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 1024;
}

/// Runs the Envoy that serves, and the one that is about to replace it.
class EnvoySupervisor {
 public:
  EnvoySupervisor(const EnvoyOptions& options, std::string bootstrap)
      : options_(options), bootstrap_(std::move(bootstrap)) {}

  Result<void> start() {
    auto child = EnvoyChild::start(options_, bootstrap_);
    if (!child) return fail(child.error());
    current_ = *std::move(child);
    return {};
  }

  /// Starts a replacement if one has been requested, and none is on its way.
  void replace() {
    if (next_ || !current_ || options_.restart == nullptr || !options_.restart->take()) return;
    auto child = EnvoyChild::start(options_, bootstrap_, &*current_);
    if (!child) {
      log::warning("Envoy is not replaced", {{"error", child.error().message}});
      return;
    }
    log::info("replacing Envoy: connections go on until they end");
    next_ = *std::move(child);
  }

  /// Returns the wait status of the last Envoy if none serves any more; std::nullopt: one serves.
  std::optional<int> ended() {
    if (next_) {
      if (const auto how = next_->ended()) {
        next_.reset();
        // It takes over the administration first, and the listeners later: without that it is not known what
        // the one before still serves.
        const bool serves =
            ask_envoy(admin_socket(options_), "GET", "/server_info", answer_limit).has_value();
        log::warning(serves ? "the new Envoy has ended, and the one before goes on"
                            : "the new Envoy has ended while it took over",
                     {{"how", describe_end(*how)}});
        if (!serves && !current_->ended()) {
          end_all();
          last_.reset();
          return how;
        }
      }
    }
    const auto how = current_->ended();
    if (!how) return std::nullopt;
    if (next_) {
      log::info("Envoy has been replaced");
      current_ = std::exchange(next_, std::nullopt);
      return std::nullopt;
    }
    current_->remove_shared_memory(options_);
    current_.reset();
    return how;
  }

  /// Drains connections, and then ends Envoy.
  void end() {
    if (!current_) return;
    drain();
    end_all();
  }

 private:
  void end_all() {
    signal(SIGTERM);
    const SteadyTime limit = machine_.steady() + end_limit;
    while (is_any_left()) {
      if (machine_.steady() > limit) signal(SIGKILL);
      pause(poll_interval);
    }
    if (last_) last_->remove_shared_memory(options_);
  }
  void drain() {
    if (options_.drain.count() <= 0) return;
    const SteadyTime limit = machine_.steady() + options_.drain;
    const auto begun = ask_envoy(admin_socket(options_), "POST", "/drain_listeners?graceful", answer_limit);
    // One that has not begun to listen has no connections.
    if (!begun) return;
    log::info("Envoy ends once its connections have",
              {{"within", std::to_string(options_.drain.count()) + " s"}});
    while (machine_.steady() < limit && is_any_left()) {
      const auto left = client_connections(admin_socket(options_), answer_limit);
      if (left && *left == 0) return;
      pause(drain_poll_interval);
    }
  }
  void signal(int number) const {
    if (current_) current_->signal(number);
    if (next_) next_->signal(number);
  }
  bool is_any_left() {
    for (std::optional<EnvoyChild>* one : {&current_, &next_}) {
      if (*one && (*one)->ended()) last_ = std::exchange(*one, std::nullopt);
    }
    return current_ || next_;
  }
  void pause(std::chrono::nanoseconds time) const { machine_.wait_until(machine_.steady() + time, {}); }

  const EnvoyOptions& options_;
  const std::string bootstrap_;
  /// The system's clock: processes do not follow the clock of a test.
  Clock& machine_ = Clock::system();
  std::optional<EnvoyChild> current_, next_;
  /// The Envoy that has ended last.
  std::optional<EnvoyChild> last_;
};

}  // namespace

Result<json::Object> envoy_bootstrap(const EnvoyOptions& options) {
  // Envoy reads a name that begins with @ as one outside of the file system, which everybody may connect to.
  if (!options.xds_socket.is_absolute())
    return fail(ErrorCode::invalid, printable(options.xds_socket.string()) +
                                        " is no Unix socket of an xDS server: it has to be an absolute path");
  json::Object endpoint{
      {"endpoint",
       json::Object{
           {"address", json::Object{{"pipe", json::Object{{"path", options.xds_socket.string()}}}}}}}};
  json::Object cluster{
      {"name", xds_cluster},
      {"type", "STATIC"},
      {"connect_timeout", "1s"},
      {"typed_extension_protocol_options",
       json::Object{
           {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            json::Object{
                {"@type", "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions"},
                {"explicit_http_config",
                 json::Object{{"http2_protocol_options",
                               // A server that is gone without a word is noticed.
                               json::Object{{"connection_keepalive",
                                             json::Object{{"interval", "10s"}, {"timeout", "5s"}}}}}}}}}}},
      {"load_assignment",
       json::Object{
           {"cluster_name", xds_cluster},
           {"endpoints", json::Array{json::Object{{"lb_endpoints", json::Array{std::move(endpoint)}}}}}}}};
  json::Object service{
      {"envoy_grpc", json::Object{{"cluster_name", xds_cluster},
                                  {"retry_policy",
                                   json::Object{{"retry_back_off", json::Object{{"base_interval", "0.1s"},
                                                                                {"max_interval", "1s"}}}}}}}};
  return json::Object{
      {"node", json::Object{{"id", options.node}, {"cluster", "fairway"}}},
      {"admin",
       json::Object{{"address", json::Object{{"pipe", json::Object{{"path", admin_socket(options).string()},
                                                                   {"mode", 0600}}}}},
                    // It is asked how many connections there are, the more so when there are many.
                    {"ignore_global_conn_limit", true}}},
      {"dynamic_resources",
       json::Object{{"lds_config", by_ads()},
                    {"cds_config", by_ads()},
                    {"ads_config", json::Object{{"api_type", "DELTA_GRPC"},
                                                {"transport_api_version", "V3"},
                                                {"set_node_on_first_message_only", true},
                                                {"grpc_services", json::Array{std::move(service)}}}}}},
      {"layered_runtime", envoy_runtime()},
      {"overload_manager",
       overload_manager(client_connections_limit(options.max_connections, descriptors_of_envoy()),
                        options.max_memory)},
      {"static_resources", json::Object{{"clusters", json::Array{std::move(cluster)}}}}};
}

Result<void> run_envoy(const EnvoyOptions& options, Clock& clock, const std::stop_token& stop) {
  const auto bootstrap = envoy_bootstrap(options);
  if (!bootstrap) return fail(bootstrap.error());
  if (::access(options.program.c_str(), X_OK) != 0)
    return fail(ErrorCode::unavailable,
                "starting Envoy, " + printable(options.program) + ": " + std::strerror(errno));
  const std::string file = (options.data / "envoy.json").string();
  if (auto written = write_file_atomically(file, json::to_pretty_text(*bootstrap)); !written) return written;
  const BackoffSchedule schedule{.first = std::chrono::milliseconds(100),
                                 .longest = std::chrono::seconds(5),
                                 .reset_after = std::chrono::seconds(10)};
  Backoff backoff(schedule, clock);
  EnvoySupervisor envoys(options, file);
  while (!stop.stop_requested()) {
    if (auto started = envoys.start(); !started) return started;
    std::optional<int> how;
    while (!stop.stop_requested() && !(how = envoys.ended())) {
      envoys.replace();
      clock.wait_until(clock.steady() + poll_interval, stop);
    }
    if (!how) break;
    log::warning("Envoy has ended, and is started again", {{"how", describe_end(*how)}});
    clock.wait_until(clock.steady() + backoff.next(), stop);
  }
  envoys.end();
  return {};
}

}  // namespace fairway::gateway
