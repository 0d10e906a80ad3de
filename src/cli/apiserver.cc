// SPDX-License-Identifier: Apache-2.0

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "apiserver/server.h"
#include "base/log.h"
#include "base/named_file.h"
#include "cli/apiserver_commands.h"
#include "cli/apiserver_controllers.h"
#include "cli/apiserver_credentials.h"
#include "cli/apiserver_test_flags.h"
#include "cli/duration_option.h"
#include "cli/low_memory.h"
#include "cli/server_limits.h"
#include "command_line/input.h"
#include "command_line/log_options.h"
#include "command_line/own_health.h"
#include "command_line/service_notifier.h"
#include "command_line/stop_signals.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

/// Smallest history: a smaller one could not keep one change of the largest object for watches that are about
/// to read it.
constexpr std::int64_t least_history_bytes = 8 << 20;
constexpr std::int64_t least_disk_quota = 64 << 20;
constexpr std::int64_t most_history_bytes = std::int64_t{1} << 50;
/// Time that a service manager is asked for to end what is at work: requests are cut off, and the database is
/// closed.
constexpr std::chrono::seconds stop_limit{20};

struct ApiserverOptions {
  std::string data, kubeconfig, controllers = "all", audit_level = "Metadata", admin_key = "rsa";
  bool memory = false;
  apiserver::ServerOptions server{.listen = "127.0.0.1:6443"};
  ServerTimes times;
  std::string queue_timeout = "15s", test_clock;
  int most_waiting = apiserver::WaitLimits{}.total;
  std::vector<std::string> apply, command;
  LogFlags log;
};

/// Runs the command with KUBECONFIG in its environment and our terminal. Returns its exit code, 128 and more
/// for a signal, as in a shell.
Result<int> run_command(const std::vector<std::string>& command, const std::string& kubeconfig,
                        const std::stop_token& stop) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const std::string setting = "KUBECONFIG=" + kubeconfig;
  std::vector<char*> environment{const_cast<char*>(setting.c_str())};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("KUBECONFIG=")) environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Our signals are blocked for all threads but one.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments.front(), nullptr, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    return fail(ErrorCode::invalid, "running " + command.front() + ": " +
                                        std::error_code(failed, std::generic_category()).message());
  }
  const std::stop_callback pass_on(stop, [child] { ::kill(child, SIGTERM); });
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int signalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status);
}

/// A folder for the kubeconfig of a command, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fairway-apiserver.XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Returns the path; empty if the folder could not be made.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Result<void> apply_files(apiserver::EmbeddedServer& server, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const auto text = command_line::read_input(file);
    if (!text) return fail(text.error());
    if (auto applied = server.apply(*text, file); !applied) return applied;
  }
  return {};
}

int serve(ApiserverOptions& options, const std::vector<std::string>& other_command) {
  options.command.insert(options.command.end(), other_command.begin(), other_command.end());
  if (auto configured = configure_log(options.log); !configured)
    return report(configured.error(), exit_usage);
  if (options.memory == !options.data.empty()) {
    return report({ErrorCode::invalid, "one of --data DIR and --memory has to be given"}, exit_usage);
  }
  if (options.kubeconfig.empty() && options.command.empty()) {
    return report({ErrorCode::invalid, "--kubeconfig FILE has to be given: nobody could use the server"},
                  exit_usage);
  }
  if (options.server.disk_quota != 0 && options.server.disk_quota < least_disk_quota) {
    return report({ErrorCode::invalid,
                   "--disk-quota has to be 0 (no limit) or at least " + std::to_string(least_disk_quota)},
                  exit_usage);
  }
  const auto admin_key = apiserver::parse_key_type(options.admin_key);
  if (!admin_key) return report(admin_key.error().within("--admin-key"), exit_usage);
  options.server.admin_key = *admin_key;
  if (options.controllers != "all") use_controllers(options.controllers, options.server);
  const auto audit_level = apiserver::parse_audit_level(options.audit_level);
  if (!audit_level) return report(audit_level.error(), exit_usage);
  options.server.audit_level = *audit_level;
  if (auto read = read_times(options.times, options.server.limits); !read)
    return report(read.error(), exit_usage);
  const auto queue_timeout = duration_of<std::chrono::milliseconds>("queue-timeout", options.queue_timeout);
  if (!queue_timeout) return report(queue_timeout.error(), exit_usage);
  options.server.requests.queue_timeout = *queue_timeout;
  options.server.waits = apiserver::WaitLimits::of(options.most_waiting);
  std::optional<FakeClock> test_clock;
  if (!options.test_clock.empty()) {
    const auto begin = parse_time(options.test_clock);
    if (!begin) return report(begin.error().within("--test-clock"), exit_usage);
    options.server.clock = options.server.test_clock = &test_clock.emplace(*begin);
  }
  keep_memory_low();
  command_line::ServiceNotifier notifier;
  const StopSignals signals;
  options.server.data = options.data;
  auto server = apiserver::EmbeddedServer::start(std::move(options.server));
  if (!server) return report(server.error());
  if (auto applied = apply_files(**server, options.apply); !applied) return report(applied.error());
  std::optional<TemporaryFolder> folder;
  if (options.kubeconfig.empty()) {
    folder.emplace();
    if (folder->path().empty()) {
      return report({ErrorCode::unavailable, "making a folder for the kubeconfig in $TMPDIR or /tmp: " +
                                                 std::error_code(errno, std::generic_category()).message()});
    }
    options.kubeconfig = folder->path() / "kubeconfig";
  }
  if (auto written = write_named_file(options.kubeconfig, (*server)->kubeconfig()); !written)
    return report(written.error());
  const auto health = command_line::health_at((*server)->url(), (*server)->authority());
  if (!health) return report(health.error());
  const std::jthread following = notifier.follow(*health);
  const std::stop_callback on_stop(signals.token(), [&] { notifier.stopping(stop_limit); });
  if (!options.command.empty()) {
    const auto code = run_command(options.command, options.kubeconfig, signals.token());
    return code ? *code : report(code.error());
  }
  log::info("the API server is ready", {{"server", (*server)->url()}, {"kubeconfig", options.kubeconfig}});
  Clock::system().wait_until(SteadyTime::max(), signals.token());
  return exit_ok;
}

void add_request_limits(CLI::App& command, ApiserverOptions& options) {
  constexpr const char* group = "Requests";
  command
      .add_option("--max-requests-inflight", options.server.requests.in_flight,
                  "Requests answered at once, those apart that wait for a kubelet or a webhook; a quarter of "
                  "them is for health, Leases and system:masters")
      ->type_name("N")
      ->check(CLI::Range(4, 1024).description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-requests-queued", options.server.requests.queued,
                  "Requests that wait for their turn, of each level; beyond it 429")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-requests-queued-per-user", options.server.requests.queued_per_user,
                  "Those of one user; beyond it 429")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--queue-timeout", options.queue_timeout,
                  "How long a request may wait for its turn; then 429")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--max-bodies-bytes", options.server.limits.max_bodies_bytes,
          "Memory of the bodies of all requests, three quarters of it for one address, but for the first "
          "64 KiB of each; beyond it slow ones are closed, then 503; 0 is no limit")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--max-requests-waiting", options.most_waiting,
          "Requests that wait for kubelets and webhooks at once, a quarter of them for Leases and "
          "system:masters; one user may have a quarter, one namespace or webhook a half; beyond it 429")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""))
      ->capture_default_str()
      ->group(group);
}

}  // namespace

void add_apiserver(CLI::App& parent, Context& context) {
  auto options = std::make_shared<ApiserverOptions>();
  CLI::App* command = add_command(parent, context, "apiserver", "Serve the Kubernetes API without a cluster",
                                  "fairway apiserver --memory --kubeconfig kubeconfig",
                                  [options, &context] { return serve(*options, context.other_command); });
  command->add_option("--data", options->data, "Folder of the database; created if it is missing")
      ->type_name("DIR");
  command->add_flag("--memory", options->memory, "Keep everything in memory, and lose it at the end");
  command
      ->add_option(
          "--history-bytes", options->server.history_bytes,
          "What past revisions may take, in the file or in memory; beyond it the oldest go before their ten "
          "minutes have passed, and who asks for them gets 410 and lists again")
      ->type_name("BYTES")
      ->check(CLI::Range(least_history_bytes, most_history_bytes).description(""))
      ->capture_default_str();
  command
      ->add_option(
          "--disk-quota", options->server.disk_quota,
          "What the files of --data may take; before it is used up writes are refused, but for deletions and "
          "Leases; 0 is no limit")
      ->type_name("BYTES")
      ->capture_default_str();
  command->add_option("--listen", options->server.listen, "Address to serve HTTPS on; port 0: any free one")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command
      ->add_option("--tls-san", options->server.names,
                   "Another name or address by which clients call the server; may be given several times")
      ->type_name("NAME");
  command
      ->add_option("--kubeconfig", options->kubeconfig,
                   "File to write once the server answers, for its administrator")
      ->type_name("FILE");
  command
      ->add_option(
          "--admin-key", options->admin_key,
          "Key in the kubeconfig: rsa, which clients in any language read and which is made once for "
          "--data, or ec, which takes no time")
      ->type_name("TYPE")
      ->capture_default_str();
  command
      ->add_option("--service-cluster-ip-range", options->server.service_cluster_ip_range,
                   "IPv4 network out of which Services get their addresses")
      ->type_name("CIDR")
      ->capture_default_str();
  command
      ->add_option("--apply", options->apply,
                   "Objects to create before the server is ready, in YAML or JSON; existing ones are merged")
      ->type_name("FILE");
  add_credentials(*command, options->server);
  command
      ->add_option("--audit-log", options->server.audit_log,
                   "File to append every request to, as lines of JSON (audit.k8s.io/v1)")
      ->type_name("FILE");
  command
      ->add_option("--audit-level", options->audit_level,
                   "What the audit log holds: Metadata, or Request for the bodies too")
      ->type_name("LEVEL")
      ->capture_default_str();
  add_controllers(*command, options->controllers, options->server);
  add_test_flags(*command, options->test_clock, options->server);
  command
      ->add_option("command", options->command, "After `--`: run this with KUBECONFIG set, and end with it")
      ->type_name("COMMAND");
  add_server_limits(*command, options->server.limits, options->times);
  add_request_limits(*command, *options);
  add_log_flags(*command, options->log);
  add_apiserver_backup(*command, context);
  add_apiserver_restore(*command, context);
}

}  // namespace fairway::cli
