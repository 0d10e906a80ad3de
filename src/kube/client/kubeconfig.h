// Kubeconfig files: clusters, users, and the contexts that name one of each.
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

/// What kubeconfig files say, one or several merged.
struct Kubeconfig {
  struct Cluster {
    std::string origin, server, ca, ca_file, tls_server_name, proxy_url;
    /// `extensions` for exec plugins, as JSON.
    std::string exec_extension;
    bool insecure_skip_tls_verify = false;
  };
  struct User {
    std::string origin, certificate, certificate_file, key, key_file, token, token_file, username, password;
    std::optional<ExecPlugin> exec;
    /// `auth-provider`, which nobody offers any more: an error where it is used.
    std::string auth_provider;
    Impersonation impersonate;
  };
  struct Context {
    std::string origin, cluster, user, namespace_name;
  };
  std::map<std::string, Cluster, std::less<>> clusters;
  std::map<std::string, User, std::less<>> users;
  std::map<std::string, Context, std::less<>> contexts;
  std::string current_context;
  /// Where it was read.
  std::vector<std::string> files;
};

/// Reads one file's text. Paths in it are relative to the file's folder; `*-data` is decoded. Fields that are
/// not known are passed over, as kubectl does. Errors name the file, the line and the key.
Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::filesystem::path& file);

/// Adds what a later file says: what the earlier ones say wins, entry by entry.
void merge(Kubeconfig& into, const Kubeconfig& later);

/// What may be chosen beside what the files say; empty: as they say.
struct KubeconfigChoice {
  /// The one file to read: it must be there.
  std::string file;
  std::string context, cluster, user, namespace_name, server;
};

/// The configuration of a context. Errors name what is missing and what there is.
Result<ClientConfig> resolve(const Kubeconfig& kubeconfig, const KubeconfigChoice& choice = {});

/// What of the process and the machine matters here; tests bring their own.
struct Surroundings {
  std::function<std::optional<std::string>(const char*)> variable;
  std::filesystem::path service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  static Surroundings of_this_process();
};

/// The chosen file, or those of $KUBECONFIG (a list, missing ones are passed over), or ~/.kube/config; where
/// there is none, the cluster that this process runs in. Errors: `not_found` where there is nothing at all.
Result<ClientConfig> load_client_config(const KubeconfigChoice& choice = {},
                                        const Surroundings& surroundings = Surroundings::of_this_process());

/// The cluster that this process runs in, by its service account. Errors: `not_found` outside of one.
Result<ClientConfig> in_cluster_config(const Surroundings& surroundings = Surroundings::of_this_process());

}  // namespace fairway::kube
