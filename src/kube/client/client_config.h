// How to reach an API server, and as whom.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fairway::kube {

/// A program that gives credentials: `users[].user.exec` of a kubeconfig.
struct ExecPlugin {
  /// "client.authentication.k8s.io/v1" or "/v1beta1".
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  /// Shown where the program is not there.
  std::string install_hint;
  bool provide_cluster_info = false;
  /// "Never", "IfAvailable" or "Always".
  std::string interactive_mode = "IfAvailable";
  /// `extensions` of the cluster for `client.authentication.k8s.io/exec`, as JSON; empty for none.
  std::string cluster_extension;
};

/// Whom to act as: a user with the right to impersonate.
struct Impersonation {
  std::string user, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

struct ClientConfig {
  /// "https://10.0.0.1:6443"; a path belongs to it.
  std::string server;
  /// Where this was read, for errors: "cluster 'c' of /home/u/.kube/config:3".
  std::string cluster_origin, user_origin;

  /// CAs, PEM or the file with them. Without either, the system's are trusted.
  std::string ca, ca_file;
  bool insecure_skip_tls_verify = false;
  /// Name to verify in place of the server's host.
  std::string tls_server_name;
  /// An http:// proxy; empty: what the environment says.
  std::string proxy_url;

  /// The client's certificate and key, PEM or the files with them. Texts win over files.
  std::string certificate, certificate_file, key, key_file;
  /// A bearer token, or the file with one, which is read again every minute and wins over `token`.
  std::string token, token_file;
  std::string username, password;
  std::optional<ExecPlugin> exec;
  Impersonation impersonate;

  /// The namespace to work in where none is named.
  std::string namespace_name = "default";

  /// The same server, and nobody.
  ClientConfig anonymous() const;
};

}  // namespace fairway::kube
