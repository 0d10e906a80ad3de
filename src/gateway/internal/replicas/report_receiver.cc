// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/replicas/report_receiver.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "gateway/internal/replicas/replica_report.h"

namespace fairway::gateway {

http::Response ReportReceiver::receive(const http::Request& request) {
  const auto report = read_replica_report(request.body);
  if (!report) return http::Response::text(400, report.error().message + "\n");
  if (report->to != identity_)
    return http::Response::text(
        400, "this is replica " + identity_ + "; see --replica-address of " + printable(report->to) + "\n");
  // Held until the server has heard it: of two reports the newer counts.
  const std::scoped_lock lock(mutex_);
  http::Response taken;
  taken.status = 204;
  Heard& heard = heard_[report->replica];
  if (report->number <= heard.number) return taken;
  if (report->base != 0 && report->base != heard.number)
    return http::Response::text(409, "the report before is not known here\n");
  heard.at = clock_.steady();
  heard.number = report->number;
  const bool is_news = report->base == 0 || report->has_envoys != heard.report.has_envoys ||
                       !report->said.empty() || !report->gone.empty();
  heard.report = with_changes(report->base == 0 ? xds::Report{} : std::move(heard.report), *report);
  if (is_news) server_.update_peer_report(report->replica, heard.report);
  return taken;
}

void ReportReceiver::forget(std::chrono::seconds silent_for) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(heard_, [&](const auto& entry) {
    if (clock_.steady() < entry.second.at + silent_for) return false;
    server_.update_peer_report(entry.first, std::nullopt);
    return true;
  });
}

}  // namespace fairway::gateway
