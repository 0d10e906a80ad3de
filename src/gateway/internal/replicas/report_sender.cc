// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/replicas/report_sender.h"

#include <utility>

#include "base/text.h"
#include "gateway/internal/replicas/replica_report.h"

namespace fairway::gateway {

Result<int> ReportSender::post(const ReplicaLeases::Leader& leader, const xds::Report& report,
                               const Limits& limits) {
  auto url = http::Url::parse("https://" + leader.address + report_path);
  if (!url) return fail(url.error());
  ReplicaReport message = difference(taken_ == 0 ? xds::Report{} : sent_, report);
  message.replica = identity_;
  message.to = leader.identity;
  message.base = taken_;
  message.number = ++number_;
  // Of a call that fails nobody knows whether it was taken.
  taken_ = 0;
  http::Call call{.method = "POST", .url = *std::move(url), .limits = limits};
  call.headers.set("Content-Type", "application/json");
  call.body = to_text(message);
  const auto reply = client_->send(call);
  if (!reply) return fail(reply.error());
  if (reply->status == 204) {
    taken_ = message.number;
    sent_ = report;
  } else if (reply->status != 409) {
    return fail(ErrorCode::unavailable,
                "HTTP " + std::to_string(reply->status) + ": " + printable(reply->body, 200));
  }
  return reply->status;
}

Result<void> ReportSender::send(const ReplicaLeases::Leader& leader, const xds::Report& report,
                                const Limits& limits) {
  const auto within = [&](const Error& error) {
    return fail(error.within("reporting to the leader " + leader.identity));
  };
  if (!client_) return within({ErrorCode::unavailable, "there are no certificates yet"});
  if (leader_ != leader) taken_ = 0;
  leader_ = leader;
  auto status = post(leader, report, limits);
  // It does not know the report before: it has begun anew, or lost this replica from sight.
  if (status && *status == 409) status = post(leader, report, limits);
  if (!status) return within(status.error());
  if (*status == 409) return within({ErrorCode::conflict, "it takes no whole report"});
  return {};
}

}  // namespace fairway::gateway
