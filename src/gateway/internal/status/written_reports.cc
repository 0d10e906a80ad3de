// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/written_reports.h"

#include "gateway/internal/status/status.h"

namespace fairway::gateway {

bool WrittenReports::contains(const Report& report, const Clock& clock) {
  if (const auto found = cache_.find(report.object); found != cache_.end()) {
    Cached& cached = found->second;
    const bool is_same_object = (report.held && cached.report.held == report.held) ||
                                cached.resource_version == report.object->resource_version();
    if (is_same_object && cached.report == report) return cached.is_used = true;
    cache_.erase(found);
  }
  const std::string_view version = report.object->resource_version();
  if (!is_written(report, clock)) return false;
  if (!version.empty())
    cache_.emplace(report.object, Cached{.resource_version = std::string(version), .report = report});
  return true;
}

void WrittenReports::keep(const k8s::Dynamic& object) {
  if (const auto found = cache_.find(&object); found != cache_.end()) found->second.is_used = true;
}

void WrittenReports::forget_others() {
  std::erase_if(cache_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [object, cached] : cache_) cached.is_used = false;
}

}  // namespace fairway::gateway
