// SPDX-License-Identifier: Apache-2.0

// The flags for sources of releases and graph data, shared by all commands that read them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "updateservice/builder.h"

namespace fairway::cli {

/// Adds the flags of `add_image_options`, --scrape-concurrency and --scrape-deadline.
/// `options.data_directory` is set by the command.
void add_source_options(CLI::App& command, sources::Options& options);

/// Adds --releases (required, repeatable).
void add_releases_option(CLI::App& command, std::vector<std::string>& releases);

/// Adds --graph-data (required).
void add_graph_data_option(CLI::App& command, std::string& graph_data);

/// Returns what is wrong with the value of --public-url; "": nothing.
std::string fault_of_public_url(const std::string& text);
/// Adds --problem-url, with its default.
void add_problem_url_option(CLI::App& command, std::string& problem_url);

}  // namespace fairway::cli
