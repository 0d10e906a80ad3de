// SPDX-License-Identifier: Apache-2.0

#include "envtest/kube_apiserver.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "apiserver/kubernetes_release.h"
#include "base/text.h"
#include "envtest/internal/admission_plugins.h"
#include "envtest/internal/feature_gates.h"
#include "envtest/internal/flag_table.h"
#include "envtest/internal/runtime_config.h"

namespace fairway::envtest {
namespace {

/// Address on which kube-apiserver listens by default.
constexpr std::string_view any_address = "0.0.0.0", secure_port = "6443";

std::string value_or(const GivenFlags& given, std::string_view name, std::string_view otherwise) {
  const std::string value = given.value(name);
  return value.empty() ? std::string(otherwise) : value;
}

std::vector<std::filesystem::path> files_of(const GivenFlags& given, std::string_view name) {
  const auto found = given.values.find(name);
  if (found == given.values.end()) return {};
  return {found->second.begin(), found->second.end()};
}

/// Takes the certificate to serve with: the given one, or the one in --cert-dir, if there is one.
void take_certificate(const GivenFlags& given, apiserver::ServerOptions& options) {
  options.tls_cert_file = given.value("tls-cert-file");
  options.tls_private_key_file = given.value("tls-private-key-file");
  if (!options.tls_cert_file.empty() || !options.tls_private_key_file.empty()) return;
  const std::filesystem::path folder = value_or(given, "cert-dir", "/var/run/kubernetes");
  std::error_code error;
  if (!std::filesystem::exists(folder / "apiserver.crt", error) ||
      !std::filesystem::exists(folder / "apiserver.key", error)) {
    return;
  }
  options.tls_cert_file = folder / "apiserver.crt";
  options.tls_private_key_file = folder / "apiserver.key";
}

/// Returns whether a flag asks for what holds anyway. A bool does so if it is false, unless the table has
/// another value.
bool is_usual(const Flag& flag, const GivenFlags& given) {
  if (flag.is_bool)
    return given.is_set(flag.name) == (std::ranges::find(flag.usual, "true") != flag.usual.end());
  const std::string value = given.value(flag.name);
  return value.empty() || std::ranges::find(flag.usual, value) != flag.usual.end();
}

void warn_of_flags(const GivenFlags& given, std::vector<std::string>& warnings) {
  for (const std::string& name : given.unknown) {
    warnings.push_back("--" + name + " is no flag of kube-apiserver " +
                       std::string(apiserver::kubernetes_minor_release) + ", which would not start with it");
  }
  for (const auto& [name, values] : given.values) {
    const Flag* flag = find_kube_apiserver_flag(name);
    if (flag == nullptr || flag->treatment != Treatment::warned) continue;
    if (is_usual(*flag, given)) continue;
    warnings.push_back("--" + name + " has no effect here: " + flag->instead);
  }
  for (const std::string& word : given.others) {
    warnings.push_back("'" + word + "' is no flag, and kube-apiserver takes nothing else");
  }
  for (const std::string& mode : given.list("authorization-mode")) {
    if (mode == "RBAC" || mode == "Node") continue;
    warnings.push_back("--authorization-mode=" + mode + " has no effect here: RBAC alone decides");
  }
}

}  // namespace

GivenFlags read_kube_apiserver_flags(std::span<const std::string> words) {
  return read_flags(words, [](std::string_view name) -> std::optional<bool> {
    // The two that have a short form.
    if (name == "h") return true;
    if (name == "v") return false;
    const Flag* flag = find_kube_apiserver_flag(name);
    if (flag == nullptr) return std::nullopt;
    return flag->is_bool;
  });
}

Result<KubeApiserverPlan> plan_kube_apiserver(const GivenFlags& given) {
  KubeApiserverPlan plan;
  const std::vector<std::string> etcds = given.list("etcd-servers");
  if (etcds.empty()) {
    return fail(ErrorCode::invalid,
                "--etcd-servers is missing: name the URL of the etcd that `fairway envtest` has made");
  }
  plan.etcd = etcds.front();
  if (etcds.size() > 1) {
    plan.warnings.push_back("--etcd-servers names several: the first is taken, " + plan.etcd);
  }
  apiserver::ServerOptions& options = plan.options;
  const std::string address = value_or(given, "bind-address", any_address);
  const std::string host = address.contains(':') ? "[" + address + "]" : address;
  options.listen = host + ":" + value_or(given, "secure-port", secure_port);
  options.service_cluster_ip_range = value_or(given, "service-cluster-ip-range", "10.0.0.0/24");
  if (const std::size_t comma = options.service_cluster_ip_range.find(','); comma != std::string::npos) {
    plan.warnings.push_back(
        "--service-cluster-ip-range names two networks: Services get addresses of the first");
    options.service_cluster_ip_range.resize(comma);
  }
  take_certificate(given, options);
  options.client_ca_file = given.value("client-ca-file");
  options.service_account_signing_key_file = given.value("service-account-signing-key-file");
  options.service_account_key_files = files_of(given, "service-account-key-file");
  if (const auto issuers = given.values.find("service-account-issuer"); issuers != given.values.end()) {
    options.service_account_issuers = issuers->second;
  }
  options.api_audiences = given.list("api-audiences");
  if (const std::string log = given.value("audit-log-path"); log == "-") {
    plan.warnings.push_back("--audit-log-path=- has no effect here: the audit log goes to a file; name one");
  } else {
    options.audit_log = log;
  }
  options.garbage_collector = options.namespace_controller = options.namespace_defaults = false;
  options.role_aggregation = options.token_secrets = options.quota_status = false;
  warn_of_flags(given, plan.warnings);
  warn_of_feature_gates(given.list("feature-gates"), plan.warnings);
  options.disabled_apis = read_runtime_config(given.list("runtime-config"), plan.warnings);
  const SwitchedPlugins plugins = read_admission_plugins(
      given.list("enable-admission-plugins"), given.list("disable-admission-plugins"), plan.warnings);
  options.pod_service_accounts = plugins.service_account;
  options.resource_quotas = plugins.resource_quota;
  options.limit_ranger = plugins.limit_ranger;
  return plan;
}

std::string kube_apiserver_help() {
  std::string text = "kube-apiserver v" + std::string(apiserver::kubernetes_release) +
                     " as Fairway has it, for tests: the flags of the real one, of which some have no effect "
                     "(a warning says "
                     "so).\n\nUsage:\n  kube-apiserver [flags]\n\nFlags:\n\n";
  for (const Flag& flag : kube_apiserver_flags()) {
    text += "      --" + flag.name + (flag.is_bool ? "" : " value");
    if (flag.treatment == Treatment::accepted) text += "   accepted";
    if (flag.treatment == Treatment::warned) text += "   no effect: " + flag.instead;
    text += '\n';
  }
  return text;
}

std::string kube_apiserver_version() {
  return "Kubernetes v" + std::string(apiserver::kubernetes_release) + "\n";
}

}  // namespace fairway::envtest
