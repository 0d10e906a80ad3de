// SPDX-License-Identifier: Apache-2.0

// The subcommands of `fairway`, one file each: flags in, one call, text out.
#pragma once

#include <CLI/CLI.hpp>

#include "command_line/commands.h"

namespace fairway::cli {

// Names that all commands use: exit codes, errors, the table, the flags that several have.
using namespace command_line;

/// Adds `fairway serve`: the update service.
void add_serve(CLI::App& app, Context& context);
/// Adds `fairway apiserver`: the Kubernetes API without a cluster.
void add_apiserver(CLI::App& app, Context& context);
/// Adds `fairway graph ...`: show, explain and compare update graphs.
void add_graph(CLI::App& app, Context& context);
/// Adds `fairway lint`: check graph data.
void add_lint(CLI::App& app, Context& context);
/// Adds `fairway convert`: custom resources between the versions of their kind.
void add_convert(CLI::App& app, Context& context);
/// Adds `fairway completion SHELL`.
void add_completion(CLI::App& app, Context& context);
/// Adds `fairway man`: the manual.
void add_man(CLI::App& app, Context& context);
/// Adds `fairway risk ...`: evaluate the risks of updates.
void add_risk(CLI::App& app, Context& context);
/// Adds `fairway release ...`: the contents of a release image.
void add_release(CLI::App& app, Context& context);
/// Adds `fairway migrate`: store custom resources in a new version.
void add_migrate(CLI::App& app, Context& context);
/// Adds `fairway conversions`: the controller of Conversions.
void add_conversions(CLI::App& app, Context& context);
/// Adds `fairway operator`: the controller of ClusterVersion.
void add_operator(CLI::App& app, Context& context);
/// Adds `fairway new ...`: write a project that builds on Fairway.
void add_new(CLI::App& app, Context& context);
/// Adds `fairway promql ...`: check, format and evaluate queries.
void add_promql(CLI::App& app, Context& context);

}  // namespace fairway::cli
