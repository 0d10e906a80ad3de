#include "cli/gateway/commands.h"

#include <memory>

namespace fairway::cli {

void add_gateway(CLI::App& app, command_line::Context& context, const GatewayActions& actions) {
  CLI::App* gateway = app.add_subcommand("gateway", "Gateway API on Envoy, with conditions that are true");
  gateway->require_subcommand(1);
  gateway->footer("Example: fairway gateway check -f gateway.yaml -f routes.yaml");

  auto options = std::make_shared<GatewayCheckOptions>();
  CLI::App* check = command_line::add_command(
      *gateway, context, "check",
      "The statuses that objects of Gateway API would get, offline: exit 0, or 1 (unreadable input)",
      "fairway gateway check -f gateway.yaml -o json",
      [options, actions] { return actions.check(*options); });
  check
      ->add_option("-f,--filename", options->files,
                   "A YAML or JSON file with objects, or - for standard input; all of them are one cluster")
      ->type_name("FILE")
      ->required();
  check->add_option("-o,--output", options->output, "Format")
      ->check(CLI::IsMember(std::vector<std::string>{"table", "json"}).description(""))
      ->type_name("table|json")
      ->capture_default_str();
}

}  // namespace fairway::cli
