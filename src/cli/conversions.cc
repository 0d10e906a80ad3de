#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/kube_options.h"
#include "cli/stop_signals.h"
#include "conversion/conversion_controller.h"
#include "kube/manager.h"

namespace fairway::cli {

namespace {

struct Options {
  kube::KubeconfigChoice cluster;
  conversion::MigrationPace pace;
  std::string lease, status_listen = "127.0.0.1:9081", log_level = "info", log_format = "text";
};

/// Works on Conversions until SIGTERM or SIGINT.
int run(const Options& options) {
  const auto level = log::parse_level(options.log_level);
  if (!level) return report(level.error(), exit_usage);
  const auto format = log::parse_format(options.log_format);
  if (!format) return report(format.error(), exit_usage);
  log::configure(*level, *format);
  kube::ManagerOptions manager_options;
  manager_options.status_listen = options.status_listen;
  if (!options.lease.empty()) {
    auto lease = k8s::Key::parse(options.lease);
    if (!lease || lease->namespace_name.empty()) {
      return report({ErrorCode::invalid, "--lease " + printable(options.lease, 100) +
                                             " does not name a Lease: it has to be NAMESPACE/NAME"},
                    exit_usage);
    }
    manager_options.lease.namespace_name = std::move(lease->namespace_name);
    manager_options.lease.name = std::move(lease->name);
  }
  const StopSignals signals;
  auto client = make_kube_client(options.cluster);
  if (!client) return report(client.error(), exit_usage);
  kube::Manager manager(*std::move(client), std::move(manager_options));
  conversion::add_conversion_controller(manager, options.pace);
  if (auto ended = manager.run(signals.token()); !ended) return report(ended.error());
  return exit_ok;
}

}  // namespace

void add_conversions(CLI::App& parent, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      parent, context, "conversions", "Run the controller of Conversions (storage migrations)",
      "fairway conversions --lease fairway-system/conversions", [options] { return run(*options); });
  add_kube_flags(*command, options->cluster);
  add_pace_flags(*command, options->pace);
  constexpr const char* running = "Running";
  command
      ->add_option("--lease", options->lease,
                   "Lease by which one of several replicas is chosen to work; without it, each one works")
      ->type_name("NAMESPACE/NAME")
      ->group(running);
  command->add_option("--status-listen", options->status_listen, "Address of /livez, /readyz and /metrics")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(running);
  command->add_option("--log-level", options->log_level, "Least level of what is logged")
      ->type_name("debug|info|warning|error")
      ->capture_default_str()
      ->group(running);
  command->add_option("--log-format", options->log_format, "Form of log lines")
      ->type_name("text|json")
      ->capture_default_str()
      ->group(running);
}

}  // namespace fairway::cli
