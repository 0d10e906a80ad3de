// SPDX-License-Identifier: Apache-2.0

// The outcome of a command of `adm upgrade`: its output, and the write that it asks for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// A write that a command asks for, as a merge patch of the ClusterVersion.
struct Patch {
  json::Object body;
  /// Beginning of the error if the write fails: "Unable to upgrade".
  std::string failure;
  /// Returns the text for standard output after the write, given the object that the server returned.
  std::function<std::string(const openshift::ClusterVersion& patched)> done;
  /// Returns the fields that the server did not keep, as a sentence; empty: nothing is missing. An older
  /// ClusterVersion lacks fields, and drops them silently.
  std::function<std::string(const openshift::ClusterVersion& patched)> lost = {};
};

/// The outcome of a command: nothing has been printed or written.
struct CommandResult {
  int exit_code = 0;
  /// Texts for standard output and standard error.
  std::string out, err;
  std::optional<Patch> patch;
  /// Data of `out`, for -o json and yaml.
  json::Object data;

  /// Ends the command: exit code 1, and "error: " with the message on standard error.
  void fail(std::string_view message);
  /// Ends the command likewise for an invalid command line. `command` is the whole name of the command, as
  /// the program was called: "oc adm upgrade why".
  void fail_usage(std::string_view message, std::string_view command);
  bool failed() const { return exit_code != 0; }
};

}  // namespace fairway::adm
