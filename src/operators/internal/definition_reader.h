// SPDX-License-Identifier: Apache-2.0

// Reads the definition of ClusterVersion from the cluster, and learns from refusals.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "kube/client/client.h"
#include "operators/internal/served_definition.h"

namespace fairway::operators {

/// Further attempts to write a status that the API server has refused.
inline constexpr int max_further_attempts = 2;

/// The definition that a cluster serves, read again when it may be another one. Thread-safe.
class DefinitionReader {
 public:
  /// Returns the definition. It is read if that was longer than ten seconds ago. While it cannot be read, it
  /// is the last one, or the one that this program brings along.
  std::shared_ptr<const ServedDefinition> current(kube::Client& client, const Limits& limits);
  /// Takes the refusal of a status that `change` makes of ClusterVersion: what is refused is left out from
  /// now on, and the definition is read again. Returns whether another attempt may succeed.
  bool learn(kube::Client& client, const Error& refusal,
             const std::function<void(openshift::ClusterVersion&)>& change, const Limits& limits);

 private:
  std::mutex mutex_;
  std::shared_ptr<const ServedDefinition> definition_;
  std::optional<SteadyTime> read_at_;
};

}  // namespace fairway::operators
