// SPDX-License-Identifier: Apache-2.0

// The update service of a cluster, asked as the cluster's operator asks it.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "cli/adm/cluster.h"
#include "upstream/update_service.h"

namespace fairway::cli {

struct UpstreamFlags {
  std::vector<std::string> ca_files;
  /// Namespace of the operator, and of the Secret with its credentials.
  std::string operator_namespace = "fairway-system";
};

/// Adds --ca-file and --operator-namespace.
void add_upstream_flags(CLI::App& command, UpstreamFlags& flags);

struct Upstream {
  upstream::UpdateService service;
  /// Reason why the operator's credentials for the service are not used, as a part of a sentence; empty: they
  /// are, or there are none.
  std::string without_credentials;
};

/// Opens the service at `url`, with the certificate authorities of the flags, the proxies of the environment,
/// and the credentials that the operator has for this service in its Secret, if the user may read it.
/// `deadline` is that of each request, `limits` that of reading the Secret; an answer has no more than
/// `max_body_bytes`. Errors: no URL, a file of CAs that cannot be read.
Result<Upstream> open_upstream(const Cluster& cluster, const UpstreamFlags& flags, std::string_view url,
                               std::chrono::seconds deadline, const Limits& limits,
                               std::size_t max_body_bytes = upstream::Options{}.max_body_bytes);

}  // namespace fairway::cli
