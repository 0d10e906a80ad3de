// A complete operator from a few functions: flags, CRDs, certificates, webhooks, controllers, status,
// graceful shutdown.
#pragma once

#include <functional>
#include <string>

#include "conversion/converters.h"
#include "kube/controller/manager.h"

namespace fairway::program {

/// The parts of an operator; see docs/write-a-controller.md.
struct Operator {
  /// The name of the program; also the default name of its Service and Lease and, with the suffix
  /// "-certificates", of its Secret.
  std::string name;
  /// A sentence for --help.
  std::string description;
  /// "1.0.0". Replicas of an older release do not change what a newer one has registered, and are not ready
  /// if that has versions which they cannot convert.
  std::string release;
  /// The CRDs, as YAML. The program registers them.
  std::string definitions;
  /// Defines conversion, defaulting and validation of its kinds.
  std::function<void(conversion::Converters&)> kinds;
  /// Adds the controllers, and other work. They run in the leader.
  std::function<void(kube::Manager&)> controllers;
};

/// Runs the operator by its command line until SIGTERM or SIGINT, or converts a file (`NAME convert VERSION
/// <FILE`); the result is that of `main`. `NAME --help` lists the flags. Exit codes: 0 success, 1 failure, 2
/// invalid command line; errors are written to standard error.
///
/// Startup order: certificates are read from their Secret, or issued; the webhooks are served; CRDs and
/// webhook configurations are registered; informers sync, which may need the webhooks; the controllers run
/// once this replica leads. On shutdown the controllers stop, the Lease is released, and the webhooks are
/// served until then.
int run(const Operator& parts, int argc, char** argv);

}  // namespace fairway::program
