#include "gateway/envoy_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/backoff.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"

namespace fairway::gateway {

namespace {

/// How often a running Envoy is looked at, and how long it may take to end.
constexpr std::chrono::milliseconds glance{20};
constexpr std::chrono::seconds end_limit{5};

constexpr const char* xds_cluster = "fairway_xds";

Error system_error(const std::string& doing) {
  return {ErrorCode::unavailable, doing + ": " + std::strerror(errno)};
}

/// Ends with this process. Only calls that are safe between fork and exec.
Result<pid_t> start(const EnvoyOptions& options, const std::string& bootstrap) {
  std::vector<std::string> words = {options.program,         "-c",          bootstrap,
                                    "--use-dynamic-base-id", "--log-level", "warning"};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return fail(system_error("starting " + printable(options.program)));
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

/// Waits until it ends: how it did; std::nullopt: the stop was requested before.
std::optional<int> wait_for_end(pid_t child, Clock& clock, const std::stop_token& stop) {
  int status = 0;
  while (!stop.stop_requested()) {
    if (::waitpid(child, &status, WNOHANG) == child) return status;
    clock.wait_until(clock.steady() + glance, stop);
  }
  return std::nullopt;
}

void end(pid_t child) {
  // By the machine's clock: the process is not in the test's time.
  Clock& machine = Clock::system();
  const SteadyTime limit = machine.steady() + end_limit;
  ::kill(child, SIGTERM);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (machine.steady() > limit) ::kill(child, SIGKILL);
    machine.wait_until(machine.steady() + glance, {});
  }
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<json::Object> envoy_bootstrap(const EnvoyOptions& options) {
  const std::size_t colon = options.xds_address.rfind(':');
  std::string host = options.xds_address.substr(0, colon);
  const std::string_view digits =
      colon == std::string::npos ? "" : std::string_view(options.xds_address).substr(colon + 1);
  int port = 0;
  const auto [rest, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (fault != std::errc() || rest != digits.data() + digits.size() || port < 1 || port > 65535) {
    return fail(ErrorCode::invalid,
                printable(options.xds_address) + " is no address of an xDS server: it has to be HOST:PORT");
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  // What listens on all addresses is on this machine.
  if (host.empty() || host == "0.0.0.0" || host == "::") host = "127.0.0.1";
  const json::Object by_ads{{"ads", json::Object{}}, {"resource_api_version", "V3"}};
  json::Object endpoint{
      {"endpoint",
       json::Object{{"address", json::Object{{"socket_address",
                                              json::Object{{"address", host}, {"port_value", port}}}}}}}};
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
       json::Object{
           {"address",
            json::Object{{"pipe", json::Object{{"path", (options.data / "envoy-admin.sock").string()},
                                               {"mode", 0600}}}}}}},
      {"dynamic_resources",
       json::Object{{"lds_config", by_ads},
                    {"cds_config", by_ads},
                    {"ads_config", json::Object{{"api_type", "DELTA_GRPC"},
                                                {"transport_api_version", "V3"},
                                                {"set_node_on_first_message_only", true},
                                                {"grpc_services", json::Array{std::move(service)}}}}}},
      {"static_resources", json::Object{{"clusters", json::Array{std::move(cluster)}}}}};
}

Result<void> run_envoy(const EnvoyOptions& options, Clock& clock, const std::stop_token& stop) {
  const auto bootstrap = envoy_bootstrap(options);
  if (!bootstrap) return fail(bootstrap.error());
  if (::access(options.program.c_str(), X_OK) != 0)
    return fail(system_error("starting Envoy, " + printable(options.program)));
  const std::string file = (options.data / "envoy.json").string();
  if (auto written = write_file_atomically(file, json::to_pretty_text(*bootstrap)); !written) return written;
  const BackoffSchedule schedule{.first = std::chrono::milliseconds(100),
                                 .longest = std::chrono::seconds(5),
                                 .reset_after = std::chrono::seconds(10)};
  Backoff backoff(schedule, clock);
  while (!stop.stop_requested()) {
    const auto child = start(options, file);
    if (!child) return fail(child.error());
    const auto ended = wait_for_end(*child, clock, stop);
    if (!ended) {
      end(*child);
      return {};
    }
    log::warning("Envoy has ended, and is started again", {{"how", describe_end(*ended)}});
    clock.wait_until(clock.steady() + backoff.next(), stop);
  }
  return {};
}

}  // namespace fairway::gateway
