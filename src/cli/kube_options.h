// The flags that say which cluster is meant, and how hard it is worked.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "base/result.h"
#include "conversion/migration.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace fairway::cli {

/// Adds --kubeconfig and --context.
void add_kube_flags(CLI::App& command, kube::KubeconfigChoice& choice);
/// Adds --workers, --rate, --page-size and --settle of storage migrations.
void add_pace_flags(CLI::App& command, conversion::MigrationPace& pace);
/// A client for that cluster: by the flags, $KUBECONFIG, ~/.kube/config, or the cluster that this process
/// runs in.
Result<std::shared_ptr<kube::Client>> make_kube_client(const kube::KubeconfigChoice& choice);

}  // namespace fairway::cli
