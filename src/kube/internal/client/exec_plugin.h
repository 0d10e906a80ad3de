// Credentials from a program: client.authentication.k8s.io.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "kube/client/client_config.h"

namespace fairway::kube {

/// What such a program gives: a token, or a certificate with its key, or both.
struct ExecCredential {
  std::string token, certificate, key;
  /// Until when it may be kept; nothing: as long as the process lives, or until a server refuses it.
  std::optional<WallTime> expires;
};

/// The plugin's KUBERNETES_EXEC_INFO: not interactive, and, where it wants to know, the
/// cluster that it gives credentials for.
std::string exec_info(const ExecPlugin& plugin, const ClientConfig& config);

/// Reads an ExecCredential of the plugin's version. Errors say what it lacks.
Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin);

/// Runs the plugin of `config` (which must have one). Errors name the user and the program, with what it
/// wrote, and how to install it where it is not there.
Result<ExecCredential> run_exec_plugin(const ClientConfig& config, const Limits& limits, const Clock& clock);

}  // namespace fairway::kube
