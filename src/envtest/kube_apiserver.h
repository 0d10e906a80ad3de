// SPDX-License-Identifier: Apache-2.0

// The command line of kube-apiserver as options of the embedded server.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "envtest/given_flags.h"

namespace fairway::envtest {

struct KubeApiserverPlan {
  /// Options without the folder of the database, which the etcd tells.
  apiserver::ServerOptions options = {};
  /// URL of the etcd.
  std::string etcd = {};
  /// Sentences, one for each flag that would matter and has no effect.
  std::vector<std::string> warnings = {};
};

/// Reads the words of the command line, after the program's name.
GivenFlags read_kube_apiserver_flags(std::span<const std::string> words);

/// Makes the plan. No controllers are in it: they are kube-controller-manager's. Errors: `invalid` if no etcd
/// is named, or a value cannot be read.
Result<KubeApiserverPlan> plan_kube_apiserver(const GivenFlags& given);

/// Returns the text of `kube-apiserver --help`, which lists each flag on a line of its own.
std::string kube_apiserver_help();

/// Returns the text of `kube-apiserver --version`.
std::string kube_apiserver_version();

}  // namespace fairway::envtest
