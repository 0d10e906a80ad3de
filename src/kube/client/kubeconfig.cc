// SPDX-License-Identifier: Apache-2.0

#include "kube/client/kubeconfig.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"

namespace fairway::kube {

namespace {

constexpr std::size_t most_file_bytes = 16 << 20;

std::string names_of(const auto& map) {
  std::vector<std::string> names;
  for (const auto& [name, thing] : map) names.push_back(printable(name, 80));
  return names.empty() ? "none" : join(names, ", ");
}

/// Returns an entry by name; the error has the place of the reference and the available names.
template <class Thing>
Result<const Thing*> pick(const std::map<std::string, Thing, std::less<>>& map, std::string_view kind,
                          const std::string& name, const std::string& named_by,
                          const Kubeconfig& kubeconfig) {
  if (const auto found = map.find(name); found != map.end()) return &found->second;
  return fail(ErrorCode::not_found, "kubeconfig " + join(kubeconfig.files, ", ") + ": there is no " +
                                        std::string(kind) + " '" + printable(name, 80) + "', which " +
                                        named_by + " names; there are: " + names_of(map));
}

Result<void> check(const ClientConfig& config) {
  const auto bad = [](const std::string& origin, const std::string& why) {
    return fail(ErrorCode::invalid, origin + ": " + why);
  };
  if (config.server.empty()) return bad(config.cluster_origin, "server is missing");
  if (config.insecure_skip_tls_verify && !(config.ca.empty() && config.ca_file.empty())) {
    return bad(config.cluster_origin,
               "certificate-authority and insecure-skip-tls-verify: true exclude each other");
  }
  const bool certificate = !(config.certificate.empty() && config.certificate_file.empty());
  const bool key = !(config.key.empty() && config.key_file.empty());
  if (certificate != key) {
    return bad(config.user_origin, certificate ? "client-certificate is there, client-key is missing"
                                               : "client-key is there, client-certificate is missing");
  }
  const bool token = !(config.token.empty() && config.token_file.empty());
  const bool basic = !(config.username.empty() && config.password.empty());
  if (token && basic) return bad(config.user_origin, "token and username exclude each other");
  if (config.exec && certificate) return bad(config.user_origin, "exec excludes client-certificate");
  const Impersonation& as = config.impersonate;
  if (as.user.empty() && !(as.uid.empty() && as.groups.empty() && as.extra.empty())) {
    return bad(config.user_origin, "as-uid, as-groups and as-user-extra need as, the user");
  }
  return {};
}

}  // namespace

void merge(Kubeconfig& into, const Kubeconfig& later) {
  into.clusters.insert(later.clusters.begin(), later.clusters.end());
  into.users.insert(later.users.begin(), later.users.end());
  into.contexts.insert(later.contexts.begin(), later.contexts.end());
  if (into.current_context.empty()) into.current_context = later.current_context;
  into.files.insert(into.files.end(), later.files.begin(), later.files.end());
}

Result<ClientConfig> resolve(const Kubeconfig& kubeconfig, const KubeconfigOverrides& overrides) {
  const bool chosen = !overrides.context.empty();
  const std::string& name = chosen ? overrides.context : kubeconfig.current_context;
  Kubeconfig::Context context;
  if (!name.empty()) {
    const auto found =
        pick(kubeconfig.contexts, "context", name, chosen ? "--context" : "current-context", kubeconfig);
    if (!found) return fail(found.error());
    context = **found;
  } else if (overrides.cluster.empty() && overrides.server.empty()) {
    return fail(ErrorCode::invalid,
                "kubeconfig " + join(kubeconfig.files, ", ") +
                    ": no current-context is set; choose one of: " + names_of(kubeconfig.contexts));
  }
  ClientConfig config;
  const std::string& cluster_name = overrides.cluster.empty() ? context.cluster : overrides.cluster;
  if (!cluster_name.empty() || overrides.server.empty()) {
    const auto found = pick(kubeconfig.clusters, "cluster", cluster_name,
                            overrides.cluster.empty() ? context.origin : "--cluster", kubeconfig);
    if (!found) return fail(found.error());
    const Kubeconfig::Cluster& cluster = **found;
    config.cluster_origin = cluster.origin;
    config.server = cluster.server;
    config.ca = cluster.ca;
    config.ca_file = cluster.ca.empty() ? cluster.ca_file : "";
    config.insecure_skip_tls_verify = cluster.insecure_skip_tls_verify;
    config.tls_server_name = cluster.tls_server_name;
    config.proxy_url = cluster.proxy_url;
  }
  if (!overrides.server.empty()) {
    config.cluster_origin = "--server";
    config.server = overrides.server;
  }
  const std::string& user_name = overrides.user.empty() ? context.user : overrides.user;
  if (!user_name.empty()) {
    const auto found = pick(kubeconfig.users, "user", user_name,
                            overrides.user.empty() ? context.origin : "--user", kubeconfig);
    if (!found) return fail(found.error());
    const Kubeconfig::User& user = **found;
    if (!user.auth_provider.empty()) {
      return fail(ErrorCode::unsupported, user.origin + ": auth-provider '" +
                                              printable(user.auth_provider, 80) +
                                              "' is no longer offered by Kubernetes; use an exec plugin");
    }
    config.user_origin = user.origin;
    config.certificate = user.certificate;
    config.certificate_file = user.certificate.empty() ? user.certificate_file : "";
    config.key = user.key;
    config.key_file = user.key.empty() ? user.key_file : "";
    config.token = user.token;
    config.token_file = user.token_file;
    config.username = user.username;
    config.password = user.password;
    // As in kubectl: with other credentials the plugin is not used.
    const bool known = !(user.token.empty() && user.token_file.empty() && user.username.empty());
    if (!known) config.exec = user.exec;
    config.impersonate = user.impersonate;
    if (config.exec) {
      const auto cluster = kubeconfig.clusters.find(cluster_name);
      if (cluster != kubeconfig.clusters.end())
        config.exec->cluster_extension = cluster->second.exec_extension;
    }
  }
  if (!context.namespace_name.empty()) config.namespace_name = context.namespace_name;
  if (!overrides.namespace_name.empty()) config.namespace_name = overrides.namespace_name;
  if (auto checked = check(config); !checked) return fail(checked.error());
  return config;
}

ProcessEnvironment ProcessEnvironment::current() {
  ProcessEnvironment environment;
  environment.variable = [](const char* name) -> std::optional<std::string> {
    // Nothing here changes the environment after start.
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
  return environment;
}

Result<ClientConfig> load_client_config(const KubeconfigOverrides& overrides,
                                        const ProcessEnvironment& environment) {
  std::vector<std::string> files;
  const std::string listed = environment.variable("KUBECONFIG").value_or("");
  if (!overrides.file.empty()) {
    files.push_back(overrides.file);
  } else if (!listed.empty()) {
    for (const std::string_view file : split(listed, ':')) {
      if (!file.empty() && std::ranges::find(files, file) == files.end()) files.emplace_back(file);
    }
  } else if (const auto home = environment.variable("HOME"); home && !home->empty()) {
    files.push_back(*home + "/.kube/config");
  }
  std::optional<Kubeconfig> merged;
  for (const std::string& file : files) {
    std::error_code error;
    const bool absent = !std::filesystem::exists(file, error) && !error;
    if (absent && overrides.file.empty()) continue;
    const auto text = read_file(file, most_file_bytes);
    if (!text) return fail(text.error().within("loading the kubeconfig"));
    const std::filesystem::path path = std::filesystem::absolute(file, error);
    auto one = parse_kubeconfig(*text, error ? std::filesystem::path(file) : path);
    if (!one) return fail(one.error());
    if (merged) {
      merge(*merged, *one);
    } else {
      merged = *std::move(one);
    }
  }
  if (merged) return resolve(*merged, overrides);
  if (!overrides.server.empty()) return resolve({}, overrides);
  auto in_cluster = in_cluster_config(environment);
  if (!in_cluster && in_cluster.error().code == ErrorCode::not_found) {
    return fail(ErrorCode::not_found,
                "there is no kubeconfig (" + (files.empty() ? "no HOME, no KUBECONFIG" : join(files, ", ")) +
                    "), and this process does not run in a cluster; name a file with KUBECONFIG");
  }
  if (in_cluster && !overrides.namespace_name.empty()) in_cluster->namespace_name = overrides.namespace_name;
  return in_cluster;
}

Result<ClientConfig> in_cluster_config(const ProcessEnvironment& environment) {
  const std::string host = environment.variable("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment.variable("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty()) {
    return fail(
        ErrorCode::not_found,
        "this process does not run in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are "
        "not set");
  }
  const auto& folder = environment.service_account;
  ClientConfig config;
  config.server = "https://" + (host.find(':') != std::string::npos ? "[" + host + "]" : host) + ":" + port;
  config.cluster_origin = "the cluster of this process";
  config.user_origin = "the service account in " + folder.string();
  config.token_file = (folder / "token").string();
  config.ca_file = (folder / "ca.crt").string();
  if (const auto token = read_file(config.token_file, most_file_bytes); !token) {
    // It is in a cluster, whatever else is missing; `not_found` would mean that it is not.
    return fail(ErrorCode::unavailable, token.error().within("reading the service account's token").message);
  }
  if (const auto name = read_file(folder / "namespace", 4096)) {
    if (const std::string_view text = trim(*name); !text.empty()) config.namespace_name = text;
  }
  return config;
}

}  // namespace fairway::kube
