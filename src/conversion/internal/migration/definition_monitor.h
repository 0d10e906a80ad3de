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
/// has changed; std::nullopt if nothing relevant has. `now`: nullptr if it was deleted.
///
/// The target does not change with the conversion (a certificate was rotated) or with schemas, as long as
/// each generation is seen: the one after `checked` then has the same versions, served and stored. Over more
/// than one generation any change counts: in between, the storage version may have been another one.
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

  /// Stop is requested when the target has changed (`definition_change`), or the constructor's `stop` is.
  std::stop_token token() const { return source_.get_token(); }
  /// The change that was noticed, as `definition_change`.
  std::optional<Error> change() const;
  /// Reads the definition now, and returns the change. One that cannot be read counts as unchanged.
  std::optional<Error> read();
  /// Returns the definition as it was last seen with the same target.
  k8s::CustomResourceDefinition last_seen() const;

 private:
  void record(const k8s::Dynamic* now);
  void watch();
  /// Watches from `version` on, which becomes that of the last event.
  kube::ApiResult<void> watch_from(std::string& version);

  kube::Client& client_;
  const std::string name_;
  const std::string new_version_;
  std::stop_source source_;
  const std::stop_callback<std::function<void()>> on_stop_;
  mutable std::mutex mutex_;
  k8s::CustomResourceDefinition checked_;  ///< the last one with the same target
  std::optional<Error> change_;
  std::string version_;  ///< resourceVersion of the last read
  std::jthread thread_;  ///< the last member: it uses the others
};

}  // namespace fairway::conversion
