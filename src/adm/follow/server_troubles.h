// SPDX-License-Identifier: Apache-2.0

// Troubles with the API server while an update is followed: which are told, and which end it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::adm {

/// Weighs the troubles of a server. An update restarts the API server and renews its certificates, so that it
/// cannot be reached for a while, and may refuse valid credentials. The first is waited for without end; the
/// second may also be the end of a session, and is waited for only for a time.
class ServerTroubles {
 public:
  /// Time for which the server may refuse the credentials.
  static constexpr std::chrono::minutes refusal_timeout{5};

  struct Verdict {
    /// Text for the administrator; empty: it has been told.
    std::string warning = {};
    /// The error that ends the following.
    std::optional<Error> end = {};
  };
  /// Takes a trouble. `status` is the HTTP status of the answer; 0: there was none.
  Verdict take(int status, const std::string& message, SteadyTime now);
  /// Records that the server has answered.
  void answered();

 private:
  bool told_outage_ = false, told_refusal_ = false;
  /// Time for which the credentials were refused, without that of outages between; empty: they were not.
  std::optional<SteadyTime::duration> refused_for_;
  SteadyTime last_{};
};

}  // namespace fairway::adm
