// SPDX-License-Identifier: Apache-2.0

// The flags of an operator's program, by the parts that it has.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "command_line/log_options.h"
#include "kube/client/kubeconfig.h"
#include "program/operator.h"
#include "webhook/server.h"

namespace fairway::program {

struct WebhookOptions {
  std::string listen = ":9443", service, url, certificate_secret, ca_overlap = "10m", tls_cert, tls_key,
              client_ca;
};

struct Options {
  kube::KubeconfigOverrides cluster;
  WebhookOptions webhooks;
  bool leader_elect = true;
  std::string lease, status_listen = "127.0.0.1:8081";
  /// The kinds to quarantine: "KIND.GROUP", with commas between; "true": all; "false": none; empty: those of
  /// the program.
  std::string quarantine;
  command_line::LogFlags log;
};

/// Returns whether API servers call the operator: then it has an HTTPS server.
bool has_webhooks(const Operator& parts);

/// Adds the flags of the parts that the operator has, and its own.
void add_flags(CLI::App& command, const Operator& parts, Options& options);

/// Returns the options of the webhooks by the flags. Errors name the flag.
Result<webhook::ServerOptions> server_options(const WebhookOptions& options);

}  // namespace fairway::program
