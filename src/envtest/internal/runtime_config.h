// SPDX-License-Identifier: Apache-2.0

// The APIs that kube-apiserver is told to serve and not to serve.
#pragma once

#include <string>
#include <vector>

namespace fairway::envtest {

/// Returns the APIs that are not to be served, for `apiserver::ServerOptions::disabled_apis`. `config`:
/// "api/all=false", "api/beta=true", "batch/v1=false", "apps/v1/deployments". Adds a warning for each API
/// that is enabled and not served here, or disabled and needed here, and for what is none.
std::vector<std::string> read_runtime_config(const std::vector<std::string>& config,
                                             std::vector<std::string>& warnings);

}  // namespace fairway::envtest
