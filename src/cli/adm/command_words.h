// SPDX-License-Identifier: Apache-2.0

// The command line as kubectl and oc read it, where that differs from fairway's.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace fairway::cli {

/// Returns the words of a command line of the program `app`, its name first, in the order that fairway
/// understands: as `kubectl-fairway` it is `fairway adm upgrade`, and flags between `adm upgrade` and a
/// command below it are that command's.
std::vector<char*> as_kubectl_reads(std::vector<char*> words, const CLI::App& app);

/// Makes texts name the program as it was called, by the path `program`: `oc`, or as a plugin `kubectl
/// fairway`, which stands for `fairway adm upgrade`, too.
void name_as_called(CLI::App& app, const char* program);

}  // namespace fairway::cli
