// SPDX-License-Identifier: Apache-2.0

// The scripts that complete fairway's command line in shells. They ask `fairway completion candidates`.
#pragma once

#include <span>
#include <string_view>

namespace fairway::cli {

/// A script, and the command below `fairway completion` that prints it.
struct CompletionScript {
  const char* name;
  const char* description;
  /// A command line that loads or installs the script.
  const char* example;
  std::string_view text;
};

/// Returns the scripts of all shells, and that of kubectl.
std::span<const CompletionScript> completion_scripts();

}  // namespace fairway::cli
