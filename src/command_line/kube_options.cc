// SPDX-License-Identifier: Apache-2.0

#include "command_line/kube_options.h"

#include <string>
#include <utility>

namespace fairway::command_line {

void add_kube_flags(CLI::App& command, kube::KubeconfigOverrides& overrides) {
  constexpr const char* group = "Cluster";
  command
      .add_option("--kubeconfig", overrides.file,
                  "Kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the cluster that this runs in)")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--context", overrides.context, "Context of the kubeconfig to use")
      ->type_name("NAME")
      ->group(group);
}

Result<std::shared_ptr<kube::Client>> make_kube_client(const kube::KubeconfigOverrides& overrides) {
  auto config = kube::load_client_config(overrides);
  if (!config) return fail(config.error());
  return kube::Client::create(*std::move(config), {.user_agent = "fairway/" FAIRWAY_VERSION});
}

}  // namespace fairway::command_line
