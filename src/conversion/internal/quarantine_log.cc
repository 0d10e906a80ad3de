// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/quarantine_log.h"

#include <chrono>

#include "base/log.h"

namespace fairway::conversion {

namespace {

constexpr std::chrono::minutes pause{1};

}  // namespace

void QuarantineLog::record(const std::vector<QuarantinedObject>& objects) {
  const SteadyTime now = clock_.steady();
  const std::lock_guard lock(mutex_);
  for (const QuarantinedObject& object : objects) {
    const std::string name = object.kind + "." + object.group;
    Kind& kind = kinds_[name];
    if (now < kind.next) {
      ++kind.left_out;
      continue;
    }
    log::warning("an object does not convert, and is quarantined", {{"kind", name},
                                                                    {"object", object.key.to_string()},
                                                                    {"step", object.reason.step},
                                                                    {"why", object.reason.why},
                                                                    {"not_logged", kind.left_out}});
    kind = {.next = now + pause, .left_out = 0};
  }
}

}  // namespace fairway::conversion
