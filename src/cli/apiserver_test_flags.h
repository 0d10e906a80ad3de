// SPDX-License-Identifier: Apache-2.0

// The flags of servers that clients are tested with.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "apiserver/server.h"

namespace fairway::cli {

/// Adds `--test-faults` and `--test-clock`; the latter's time goes to `clock`.
void add_test_flags(CLI::App& command, std::string& clock, apiserver::ServerOptions& options);

}  // namespace fairway::cli
