#include "gateway/internal/status/written_reports.h"

#include "gateway/internal/status/status.h"

namespace fairway::gateway {

bool WrittenReports::contains(const Report& report, const Clock& clock) {
  if (const auto found = known_.find(report.object); found != known_.end()) {
    Known& known = found->second;
    const bool is_same_object = (report.held && known.report.held == report.held) ||
                                known.resource_version == report.object->resource_version();
    if (is_same_object && known.report == report) return known.is_used = true;
    known_.erase(found);
  }
  const std::string_view version = report.object->resource_version();
  if (!is_written(report, clock)) return false;
  if (!version.empty())
    known_.emplace(report.object, Known{.resource_version = std::string(version), .report = report});
  return true;
}

void WrittenReports::keep(const k8s::Dynamic& object) {
  if (const auto found = known_.find(&object); found != known_.end()) found->second.is_used = true;
}

void WrittenReports::forget_others() {
  std::erase_if(known_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [object, known] : known_) known.is_used = false;
}

}  // namespace fairway::gateway
