// SPDX-License-Identifier: Apache-2.0

// The flags that give the API server certificates and keys, by kube-apiserver's names.
#pragma once

#include <CLI/CLI.hpp>

#include "apiserver/server.h"

namespace fairway::cli {

/// Adds the flags of certificates, of keys, and of the tokens that they sign.
void add_credentials(CLI::App& command, apiserver::ServerOptions& options);

}  // namespace fairway::cli
