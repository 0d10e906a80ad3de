// SPDX-License-Identifier: Apache-2.0

// Kubeconfig files: clusters, users, and contexts.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/client/client_config.h"

namespace fairway::kube {

/// The contents of a kubeconfig file, or of several, merged.
struct Kubeconfig {
  struct Cluster {
    std::string origin = {}, server = {}, ca = {}, ca_file = {}, tls_server_name = {}, proxy_url = {};
    /// `extensions` for exec plugins, as JSON.
    std::string exec_extension = {};
    bool insecure_skip_tls_verify = false;
  };
  struct User {
    std::string origin = {}, certificate = {}, certificate_file = {}, key = {}, key_file = {}, token = {},
                token_file = {}, username = {}, password = {};
    std::optional<ExecPlugin> exec = {};
    /// Name of the `auth-provider`, which Kubernetes has removed: an error if used.
    std::string auth_provider = {};
    Impersonation impersonate = {};
  };
  struct Context {
    std::string origin = {}, cluster = {}, user = {}, namespace_name = {};
  };
  std::map<std::string, Cluster, std::less<>> clusters = {};
  std::map<std::string, User, std::less<>> users = {};
  std::map<std::string, Context, std::less<>> contexts = {};
  std::string current_context = {};
  /// Files that it was read from.
  std::vector<std::string> files = {};
};

/// Reads one file's text. Paths in it are relative to the file's folder; `*-data` is decoded. Unknown fields
/// are ignored, as in kubectl. Errors name the file, the line and the key.
Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::filesystem::path& file);

/// Merges a later file; entries of earlier files take precedence.
void merge(Kubeconfig& into, const Kubeconfig& later);

/// Overrides of the files' settings; empty: no override.
struct KubeconfigOverrides {
  /// The only file to read; it must exist.
  std::string file = {};
  std::string context = {}, cluster = {}, user = {}, namespace_name = {}, server = {};
};

/// Returns the configuration of a context. Errors name what is missing and the available names.
Result<ClientConfig> resolve(const Kubeconfig& kubeconfig, const KubeconfigOverrides& overrides = {});

/// The environment of the process; tests inject their own.
struct ProcessEnvironment {
  std::function<std::optional<std::string>(const char*)> variable = {};
  std::filesystem::path service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  static ProcessEnvironment current();
};

/// Loads the chosen file, or those of $KUBECONFIG (a list; missing ones are skipped), or ~/.kube/config, or
/// else the in-cluster configuration. Errors: `not_found` if there is none of them.
Result<ClientConfig> load_client_config(
    const KubeconfigOverrides& overrides = {},
    const ProcessEnvironment& environment = ProcessEnvironment::current());

/// Returns the in-cluster configuration, from the service account of the pod. Errors: `not_found` outside a
/// cluster.
Result<ClientConfig> in_cluster_config(const ProcessEnvironment& environment = ProcessEnvironment::current());

}  // namespace fairway::kube
