// SPDX-License-Identifier: Apache-2.0

// An operator from a few functions; its parts decide which parts the program has.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "conversion/converters.h"
#include "kube/controller/manager.h"
#include "webhook/handler.h"

namespace CLI {
class App;
}

namespace fairway::program {

/// The parts of an operator; all but name and release are optional. See docs/write-a-controller.md.
struct Operator {
  /// The name of the program; also the default name of its Service and Lease and, with the suffix
  /// "-certificates", of its Secret.
  std::string name = {};
  /// A sentence for --help.
  std::string description = {};
  /// "1.0.0". Replicas of an older release do not change registrations of a newer one, and are not ready if
  /// those have versions which they cannot convert.
  std::string release = {};
  /// The CRDs, as YAML. The program registers them, and restores them when they are deleted.
  std::string definitions = {};
  /// Defines conversion, defaulting and validation of its kinds. With it, or with `handlers`, the program has
  /// an HTTPS server and a Secret of certificates; without either it has none.
  std::function<void(conversion::Converters&)> kinds = {};
  /// Further webhooks: `webhook::admission_handler`. Client and registry outlive them.
  std::function<std::vector<webhook::Handler>(kube::Client&, metrics::Registry&)> handlers = {};
  /// Adds the controllers, and other work. They run in the leader.
  std::function<void(kube::Manager&)> controllers = {};
  /// Called before anything else is done, with the client: checks the values of its flags, and makes the
  /// objects that the controllers need. A returned value is the exit code of the program, which then does
  /// nothing more: for flags such as --dry-run.
  std::function<std::optional<int>(const std::shared_ptr<kube::Client>& client)> begin = {};
  /// Adds its own flags to the command, once; their variables must outlive the program's run. Environment and
  /// --config file apply to them as to all others.
  std::function<void(CLI::App& command)> flags = {};
  /// True if one replica is elected to run the controllers; without it every replica runs them, and the flags
  /// of leader election are absent.
  bool leader_election = true;
};

}  // namespace fairway::program
