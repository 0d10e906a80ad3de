// SPDX-License-Identifier: Apache-2.0

#include "cli/apiserver_controllers.h"

namespace fairway::cli {

void add_controllers(CLI::App& command, std::string& controllers, apiserver::ServerOptions& options) {
  constexpr const char* left = "Controllers";
  command
      .add_option(
          "--controllers", controllers,
          "Controllers that run in the server: all; some, those that finish what a request has begun "
          "(deleted namespaces are removed, roles are aggregated), so that no object comes or goes by "
          "itself; none, as in a kube-apiserver alone")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"all", "some", "none"}).description(""))
      ->capture_default_str()
      ->group(left);
  command
      .add_flag("!--no-garbage-collector", options.garbage_collector,
                "Leave objects alone whose owners are gone")
      ->group(left);
  command
      .add_flag("!--no-namespace-controller", options.namespace_controller,
                "Leave namespaces alone that are deleted")
      ->group(left);
  command
      .add_flag("!--no-namespace-defaults", options.namespace_defaults,
                "Make no ServiceAccount default and no kube-root-ca.crt in namespaces")
      ->group(left);
  command
      .add_flag("!--no-role-aggregation", options.role_aggregation,
                "Leave ClusterRoles alone that have an aggregationRule")
      ->group(left);
  command
      .add_flag("!--no-token-secrets", options.token_secrets,
                "Put no tokens into Secrets of the type kubernetes.io/service-account-token")
      ->group(left);
  command
      .add_flag("!--no-quota-status", options.quota_status,
                "Leave it to others to count what is used of ResourceQuotas")
      ->group(left);
}

void use_controllers(const std::string& controllers, apiserver::ServerOptions& options) {
  if (controllers == "all") return;
  options.garbage_collector = options.namespace_defaults = options.token_secrets = false;
  if (controllers == "none")
    options.namespace_controller = options.role_aggregation = options.quota_status = false;
}

}  // namespace fairway::cli
