// SPDX-License-Identifier: Apache-2.0

// The flags of `fairway convert check`, and what they name: the definition and the converter.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "conversion/check/conversion_check.h"
#include "conversion/check/converter.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/kubeconfig.h"

namespace fairway::cli {

struct CheckOptions {
  conversion::CheckRequest request;
  std::vector<std::string> files, rules, program;
  conversion::WebhookAddress webhook;
  std::string backup, definition_file, output = "text";
  kube::KubeconfigOverrides cluster;
};

/// An error, and the exit code that it has.
struct CheckFailure {
  Error error;
  int exit_code = exit_failed;
};
template <class T>
using CheckOutcome = std::expected<T, CheckFailure>;

/// A check of the value of a flag. An empty one, as of a variable that is not set, would be as if the flag
/// was not there.
std::string is_not_empty(const std::string& value);

/// Adds the flags that name the converter.
void add_converter_flags(CLI::App& command, CheckOptions& options);

/// Returns whether no flag names a converter, so that the definition does.
bool asks_definition(const CheckOptions& options);

/// Reads the definition of the kind in the file of `--crd`.
CheckOutcome<k8s::CustomResourceDefinition> read_definition(const CheckOptions& options);

/// Returns the converter that the flags name, or else the one of the definition.
CheckOutcome<conversion::AskConverter> choose_converter(
    const CheckOptions& options, const std::optional<k8s::CustomResourceDefinition>& definition,
    const std::stop_token& stop);

/// Returns a failure; of a wrong command line.
std::unexpected<CheckFailure> failed(Error error, int exit_code = exit_failed);
std::unexpected<CheckFailure> misused(std::string message);

}  // namespace fairway::cli
