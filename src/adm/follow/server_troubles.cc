// SPDX-License-Identifier: Apache-2.0

#include "adm/follow/server_troubles.h"

#include <utility>

namespace fairway::adm {

ServerTroubles::Verdict ServerTroubles::take(int status, const std::string& message, SteadyTime now) {
  const bool refuses = status == 401 || status == 403;
  if (!refuses) refused_since_.reset();
  if (refuses && !refused_since_) {
    refused_since_ = now;
    told_ = false;  // another trouble than before
  }
  if (refuses && now - *refused_since_ >= refusal_timeout) {
    return {.end = Error{ErrorCode::unauthenticated, "the API server has refused the credentials for " +
                                                         std::to_string(refusal_timeout.count()) +
                                                         " minutes: " + message}};
  }
  if (std::exchange(told_, true)) return {};
  if (!refuses) return {.warning = "the API server does not answer, and is asked again: " + message};
  return {.warning = "the API server refuses the credentials, and is asked again for " +
                     std::to_string(refusal_timeout.count()) + " minutes: " + message};
}

void ServerTroubles::answered() {
  told_ = false;
  refused_since_.reset();
}

}  // namespace fairway::adm
