// A whole operator of a few functions: flags, CRDs, certificates, webhooks, controllers, status, a clean end.
#pragma once

#include <functional>
#include <string>

#include "conversion/converters.h"
#include "kube/controller/manager.h"

namespace fairway::program {

/// What one operator has and no other. docs/write-a-controller.md
struct Operator {
  /// Of the program. Unless flags say otherwise its Service and its Lease are called the same, and its Secret
  /// with "-certificates" behind.
  std::string name;
  /// A sentence for --help.
  std::string description;
  /// "1.0.0". Replicas of an older release leave alone what a newer one has registered, and are not ready
  /// where that has versions which they cannot convert.
  std::string release;
  /// The CRDs, as YAML. The program registers them.
  std::string definitions;
  /// Says how the objects of its kinds are converted, defaulted and validated.
  std::function<void(conversion::Converters&)> kinds;
  /// Adds the controllers, and other work. They run in the replica that holds the Lease.
  std::function<void(kube::Manager&)> controllers;
};

/// What `main` returns: runs the operator by its command line until SIGTERM or SIGINT, or converts a file
/// (`NAME convert VERSION <FILE`). `NAME --help` says what flags there are. Exit codes: 0 it went well, 1 it
/// did not, 2 the command line is wrong; errors are told on standard error.
///
/// In this order: the certificates are read from their Secret, or made; the webhooks are served; CRDs and
/// webhook configurations are registered; informers get their first lists, which may need the webhooks; the
/// controllers run once this replica leads. At the end the controllers stop, the Lease is given back, and the
/// webhooks answer until they have.
int run(const Operator& parts, int argc, char** argv);

}  // namespace fairway::program
