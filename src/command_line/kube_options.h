// SPDX-License-Identifier: Apache-2.0

// The flags that select the cluster.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"

namespace fairway::command_line {

/// Adds --kubeconfig and --context.
void add_kube_flags(CLI::App& command, kube::KubeconfigOverrides& overrides);
/// A client for the cluster: from the flags, $KUBECONFIG, ~/.kube/config, or the in-cluster
/// configuration.
Result<std::shared_ptr<kube::Client>> make_kube_client(const kube::KubeconfigOverrides& overrides);

}  // namespace fairway::command_line
