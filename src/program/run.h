// SPDX-License-Identifier: Apache-2.0

// An operator as a program, or as a command of one.
#pragma once

#include <string>

#include "program/operator.h"

namespace CLI {
class App;
}
namespace fairway::command_line {
struct Context;
}

namespace fairway::program {

/// Runs the operator by its command line until SIGTERM or SIGINT, or converts a file (`NAME convert VERSION
/// <FILE`, if it has kinds); the result is that of `main`. `NAME --help` lists the flags; each is also the
/// environment variable NAME_FLAG, and a key in the TOML file of --config. Exit codes: 0 success, 1 failure,
/// 2 invalid command line or setting; errors are written to standard error.
///
/// Startup order: certificates are read from their Secret, or issued; the webhooks are served; CRDs and
/// webhook configurations are registered; informers sync, which may need the webhooks; the controllers run
/// once this replica leads. On shutdown the controllers stop, the Lease is released, and the webhooks are
/// served until then.
int run(const Operator& parts, int argc, char** argv);

/// Adds the operator as the subcommand `command` of another program. Environment and file are that program's
/// (`command_line::add_settings`). Returns the subcommand.
CLI::App* add_to(CLI::App& app, command_line::Context& context, const Operator& parts,
                 const std::string& command);

}  // namespace fairway::program
