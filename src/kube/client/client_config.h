// SPDX-License-Identifier: Apache-2.0

// Address, TLS and credentials for an API server.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fairway::kube {

/// A credential plugin: `users[].user.exec` of a kubeconfig.
struct ExecPlugin {
  /// Version of the plugin's API: "client.authentication.k8s.io/v1" or "/v1beta1".
  std::string api_version = {};
  std::string command = {};
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};
  /// Hint to show if the program is not installed.
  std::string install_hint = {};
  bool provide_cluster_info = false;
  /// Mode: "Never", "IfAvailable" or "Always".
  std::string interactive_mode = "IfAvailable";
  /// `extensions` of the cluster for `client.authentication.k8s.io/exec`, as JSON; empty for none.
  std::string cluster_extension = {};
};

/// User impersonation (`Impersonate-*` headers).
struct Impersonation {
  std::string user = {}, uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

struct ClientConfig {
  /// URL of the server: "https://10.0.0.1:6443", possibly with a path.
  std::string server = {};
  /// The origin of the settings, for errors: "cluster 'c' of /home/u/.kube/config:3".
  std::string cluster_origin = {}, user_origin = {};

  /// CAs, as PEM or a PEM file. If both are empty, the system's are trusted.
  std::string ca = {}, ca_file = {};
  bool insecure_skip_tls_verify = false;
  /// Name to verify instead of the server's host.
  std::string tls_server_name = {};
  /// An http:// proxy; empty: from the environment.
  std::string proxy_url = {};

  /// The client certificate and key, as PEM or PEM files. PEM takes precedence over files.
  std::string certificate = {}, certificate_file = {}, key = {}, key_file = {};
  /// A bearer token, or a file with one, which is reread every minute and takes precedence over `token`.
  std::string token = {}, token_file = {};
  std::string username = {}, password = {};
  std::optional<ExecPlugin> exec = {};
  Impersonation impersonate = {};

  /// The default namespace.
  std::string namespace_name = "default";

  /// Returns the configuration without credentials.
  ClientConfig anonymous() const;
};

}  // namespace fairway::kube
