// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/quarantine_reports.h"

#include <chrono>
#include <utility>

#include "base/log.h"

namespace fairway::conversion {

namespace {

constexpr std::chrono::minutes log_pause{1};
/// The time for which API servers keep an Event.
constexpr std::chrono::hours report_pause{1};

}  // namespace

void QuarantineReports::record(const std::vector<QuarantinedObject>& objects,
                               const std::map<std::string, std::uint64_t>& unnamed) {
  const SteadyTime now = clock_.steady();
  std::vector<const QuarantinedObject*> due;
  {
    const std::lock_guard lock(mutex_);
    for (const QuarantinedObject& object : objects) {
      log(object, now);
      if (on_quarantined_ && is_due(object, now)) due.push_back(&object);
    }
    for (const auto& [kind, count] : unnamed) kinds_[kind].left_out += count;
  }
  for (const QuarantinedObject* object : due) on_quarantined_(*object);
}

std::uint64_t QuarantineReports::not_logged(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  const auto found = kinds_.find(kind);
  return found != kinds_.end() ? found->second.left_out : 0;
}

/// Logs the object unless one of its kind was logged a moment ago. Call it with the lock.
void QuarantineReports::log(const QuarantinedObject& object, SteadyTime now) {
  const std::string name = object.kind + "." + object.group;
  Kind& kind = kinds_[name];
  if (now < kind.next) {
    ++kind.left_out;
    return;
  }
  log::warning("an object does not convert, and is quarantined", {{"kind", name},
                                                                  {"object", object.key.to_string()},
                                                                  {"step", object.reason.step},
                                                                  {"why", object.reason.why},
                                                                  {"not_logged", kind.left_out}});
  kind = {.next = now + log_pause, .left_out = 0};
}

/// Returns whether the object is to be reported, and remembers that it was. Call it with the lock.
bool QuarantineReports::is_due(const QuarantinedObject& object, SteadyTime now) {
  const auto known = reported_.find(object.uid);
  if (known != reported_.end() && known->second.resource_version == object.resource_version &&
      now < known->second.until) {
    return false;
  }
  if (known == reported_.end() && reported_.size() >= most_objects) {
    std::erase_if(reported_, [&](const auto& one) { return one.second.until <= now; });
    if (reported_.size() >= most_objects) return false;
  }
  reported_[object.uid] = {.resource_version = object.resource_version, .until = now + report_pause};
  return true;
}

}  // namespace fairway::conversion
