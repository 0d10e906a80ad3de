// SPDX-License-Identifier: Apache-2.0

// The flags that control the rate of a storage migration.
#pragma once

#include <CLI/CLI.hpp>

#include "conversion/migration/migration.h"

namespace fairway::cli {

/// Adds --workers, --rate, --page-size and --settle.
void add_pace_flags(CLI::App& command, conversion::MigrationPace& pace);

}  // namespace fairway::cli
