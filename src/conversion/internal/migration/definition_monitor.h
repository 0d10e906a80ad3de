// SPDX-License-Identifier: Apache-2.0

// Notices that a definition changes while its objects are migrated.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/result.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"

namespace fairway::conversion {

/// The error (`conflict`) of a migration to `new_version` whose definition differs from `checked`, with what
/// has changed; std::nullopt if nothing relevant has. `now`: nullptr if it was deleted. Any change of the
/// spec counts: between two reads, the storage version may have been another one.
std::optional<Error> definition_change(const k8s::CustomResourceDefinition& checked, const k8s::Dynamic* now,
                                       const std::string& new_version);

/// Watches a definition on a thread of its own, from construction to destruction. If it cannot be watched, it
/// is read every 10 s.
class DefinitionMonitor {
 public:
  /// `checked` is the definition as it was read; the client must outlive the monitor.
  DefinitionMonitor(kube::Client& client, k8s::CustomResourceDefinition checked, std::string new_version,
                    const std::stop_token& stop);
  DefinitionMonitor(const DefinitionMonitor&) = delete;
  DefinitionMonitor& operator=(const DefinitionMonitor&) = delete;

  /// Stop is requested when the definition has changed, or the constructor's `stop` is.
  std::stop_token token() const { return source_.get_token(); }
  /// The change that was noticed, as `definition_change`.
  std::optional<Error> change() const;
  /// Reads the definition now, and returns the change. One that cannot be read counts as unchanged.
  std::optional<Error> read();

 private:
  void record(std::optional<Error> change);
  void watch();
  /// Watches from `version` on, which becomes that of the last event.
  kube::ApiResult<void> watch_from(std::string& version);

  kube::Client& client_;
  const k8s::CustomResourceDefinition checked_;
  const std::string new_version_;
  std::stop_source source_;
  const std::stop_callback<std::function<void()>> on_stop_;
  mutable std::mutex mutex_;
  std::optional<Error> change_;
  std::string version_;  ///< resourceVersion of the last read
  std::jthread thread_;  ///< the last member: it uses the others
};

}  // namespace fairway::conversion
