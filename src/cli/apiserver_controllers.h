// SPDX-License-Identifier: Apache-2.0

// The flags that say which controllers run in the API server.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "apiserver/server.h"

namespace fairway::cli {

/// Adds `--controllers` and the flags `--no-*`.
void add_controllers(CLI::App& command, std::string& controllers, apiserver::ServerOptions& options);

/// Turns off the controllers that do not run with `--controllers none` or `some`.
void use_controllers(const std::string& controllers, apiserver::ServerOptions& options);

}  // namespace fairway::cli
