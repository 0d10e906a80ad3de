// SPDX-License-Identifier: Apache-2.0

// Credentials from a program: client.authentication.k8s.io.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "kube/client/client_config.h"

namespace fairway::kube {

/// The credential that a plugin returns: a token, or a certificate with its key, or both.
struct ExecCredential {
  std::string token = {}, certificate = {}, key = {};
  /// Expiry; std::nullopt: it is valid as long as the process lives, or until a server rejects it.
  std::optional<WallTime> expires = {};
};

/// Returns the plugin's KUBERNETES_EXEC_INFO: not interactive, and, if it asks for that
/// (`provide_cluster_info`), with the cluster that it gives credentials for.
std::string exec_info(const ExecPlugin& plugin, const ClientConfig& config);

/// Reads an ExecCredential of the plugin's version. Errors name what is missing.
Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin);

/// Runs the plugin of `config` (which must have one). Errors name the user and the program, with its output,
/// and the install hint if the program does not exist.
Result<ExecCredential> run_exec_plugin(const ClientConfig& config, const Limits& limits, const Clock& clock);

}  // namespace fairway::kube
