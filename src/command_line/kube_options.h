// The flags that say which cluster is meant.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "base/result.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"

namespace fairway::cli {

/// Adds --kubeconfig and --context.
void add_kube_flags(CLI::App& command, kube::KubeconfigChoice& choice);
/// A client for that cluster: by the flags, $KUBECONFIG, ~/.kube/config, or the cluster that this process
/// runs in.
Result<std::shared_ptr<kube::Client>> make_kube_client(const kube::KubeconfigChoice& choice);

}  // namespace fairway::cli
