// SPDX-License-Identifier: Apache-2.0

// A flag for certificate authorities, beside those of the machine.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fairway::cli {

/// Adds `name` ("--ca-file"): PEM files, repeatable, trusted in addition to those of the machine.
void add_ca_file_option(CLI::App& command, const char* name, std::vector<std::string>& files,
                        const std::string& group);

}  // namespace fairway::cli
