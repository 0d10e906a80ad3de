// SPDX-License-Identifier: Apache-2.0

// `fairway envtest`, and the programs that its scripts run.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/commands.h"

namespace fairway::cli {

/// Adds `fairway envtest`: the folder of programs that tests start.
void add_envtest(CLI::App& app, Context& context);

/// Runs kube-apiserver or etcd, if the words after the program's name ask for one: `envtest etcd ...`.
/// Returns its exit code. Their command lines are read as the real programs read theirs, so that no flag of
/// ours, no setting and no completion is in them.
std::optional<int> run_envtest_program(std::span<const std::string> words);

/// Runs the kube-apiserver with the words of its command line. Returns its exit code.
int run_kube_apiserver(std::span<const std::string> words);

/// Runs the etcd with the words of its command line. Returns its exit code.
int run_etcd(std::span<const std::string> words);

}  // namespace fairway::cli
