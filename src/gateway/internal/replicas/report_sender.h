// SPDX-License-Identifier: Apache-2.0

// Sends the reports of this replica to the leader.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "gateway/internal/replicas/replica_leases.h"
#include "http/client.h"
#include "xds/report.h"

namespace fairway::gateway {

/// The path at which reports are received.
inline constexpr const char* report_path = "/replica-reports";

/// Used by one thread.
class ReportSender {
 public:
  explicit ReportSender(std::string identity) : identity_(std::move(identity)) {}

  /// Sets the client for the next calls.
  void use(std::shared_ptr<http::Client> client) { client_ = std::move(client); }
  /// Sends the changes since the last report that this leader has accepted; the complete report if it does
  /// not know that one. Errors: the leader does not answer, or not with 204.
  Result<void> send(const ReplicaLeases::Leader& leader, const xds::Report& report, const Limits& limits);

 private:
  Result<int> post(const ReplicaLeases::Leader& leader, const xds::Report& report, const Limits& limits);

  const std::string identity_;
  std::shared_ptr<http::Client> client_;
  std::uint64_t number_ = 0;
  /// The leader, the number of the last report that it has accepted, and its content. Number 0: there is
  /// none.
  ReplicaLeases::Leader leader_;
  std::uint64_t taken_ = 0;
  xds::Report sent_;
};

}  // namespace fairway::gateway
