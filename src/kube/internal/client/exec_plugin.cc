// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/exec_plugin.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "k8s/view.h"
#include "kube/internal/client/subprocess.h"

namespace fairway::kube {

std::string exec_info(const ExecPlugin& plugin, const ClientConfig& config) {
  json::Object info;
  k8s::Editor editor(info);
  editor.set("kind", "ExecCredential");
  editor.set("apiVersion", plugin.api_version);
  editor.set("spec.interactive", false);
  if (plugin.provide_cluster_info) {
    k8s::Editor cluster = editor.edit("spec.cluster");
    cluster.set("server", config.server);
    if (!config.tls_server_name.empty()) cluster.set("tls-server-name", config.tls_server_name);
    if (config.insecure_skip_tls_verify) cluster.set("insecure-skip-tls-verify", true);
    std::string ca = config.ca;
    if (ca.empty() && !config.ca_file.empty()) ca = read_file(config.ca_file, 16 << 20).value_or("");
    if (!ca.empty()) cluster.set("certificate-authority-data", base64_encode(ca));
    if (!config.proxy_url.empty()) cluster.set("proxy-url", config.proxy_url);
    if (!plugin.cluster_extension.empty()) {
      if (auto extension = json::parse(plugin.cluster_extension))
        cluster.set("config", *std::move(extension));
    }
  }
  return json::to_text(info);
}

Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin) {
  const auto parsed = json::parse(text);
  if (!parsed) return fail(parsed.error());
  const auto bad = [](const std::string& why) {
    return fail(ErrorCode::invalid, "its ExecCredential " + why);
  };
  if (!parsed->is_object()) return bad("is no JSON object");
  const k8s::View view(parsed->get_object());
  if (view.text("kind") != "ExecCredential" || view.text("apiVersion") != plugin.api_version) {
    return bad("is a " + printable(view.text("apiVersion"), 80) + " " + printable(view.text("kind"), 80) +
               ", not a " + plugin.api_version + " ExecCredential");
  }
  ExecCredential credential;
  credential.token = view.text("status.token");
  credential.certificate = view.text("status.clientCertificateData");
  credential.key = view.text("status.clientKeyData");
  if (credential.certificate.empty() != credential.key.empty()) {
    return bad("has only one of status.clientCertificateData and status.clientKeyData");
  }
  if (credential.token.empty() && credential.certificate.empty()) {
    return bad("has neither status.token nor status.clientCertificateData");
  }
  if (view.has("status.expirationTimestamp")) {
    credential.expires = view.find_time("status.expirationTimestamp");
    if (!credential.expires) return bad("has a status.expirationTimestamp that is no RFC 3339 time");
  }
  return credential;
}

Result<ExecCredential> run_exec_plugin(const ClientConfig& config, const Limits& limits, const Clock& clock) {
  const ExecPlugin& plugin = *config.exec;
  const std::string doing =
      config.user_origin + ": asking the exec plugin " + plugin.command + " for credentials";
  if (plugin.interactive_mode == "Always") {
    return fail(ErrorCode::unsupported,
                doing + ": it wants a terminal (interactiveMode: Always), and there is none here");
  }
  ProgramCall call;
  call.command = plugin.command;
  call.args = plugin.args;
  call.env = plugin.env;
  call.env.emplace_back("KUBERNETES_EXEC_INFO", exec_info(plugin, config));
  call.limits = limits;
  call.clock = &clock;
  const auto ran = run_program(call);
  if (!ran) {
    Error error = ran.error().within(doing);
    if (error.code == ErrorCode::not_found && !plugin.install_hint.empty()) {
      error.message += "; " + printable(plugin.install_hint, 1000);
    }
    return fail(std::move(error));
  }
  if (ran->exit_code != 0) {
    return fail(ErrorCode::unauthenticated,
                doing + ": it failed with exit code " + std::to_string(ran->exit_code) +
                    (ran->errors.empty() ? "" : ": " + printable(trim(ran->errors), 1000)));
  }
  auto credential = parse_exec_credential(ran->output, plugin);
  if (!credential) return fail(credential.error().within(doing));
  return credential;
}

}  // namespace fairway::kube
