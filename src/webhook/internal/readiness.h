// SPDX-License-Identifier: Apache-2.0

// The readiness of a webhook server: it converts every version that API servers may ask it for.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fairway::webhook {

/// Several threads may use it at once.
class Readiness {
 public:
  /// Records the versions that the handlers do not convert, by the last check; changes are logged.
  void record(const std::vector<std::string>& unreached);
  /// Returns the reason why it is not ready; nothing once it was ready.
  std::optional<std::string> not_ready() const;

 private:
  mutable std::mutex mutex_;
  bool was_ready_ = false;
  std::optional<std::string> unreached_;  ///< nothing before the first check
};

}  // namespace fairway::webhook
