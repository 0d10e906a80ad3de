// SPDX-License-Identifier: Apache-2.0

#include "adm/follow/server_troubles.h"

#include <utility>

namespace fairway::adm {

namespace {

/// Returns the message without queries of addresses, which say nothing to an administrator.
std::string without_queries(const std::string& message) {
  std::string text;
  bool is_in_address = false, is_in_query = false;
  for (std::size_t at = 0; at < message.size(); ++at) {
    const char c = message[at];
    const bool ends = c == ' ' || c == '"' || (c == ':' && at + 1 < message.size() && message[at + 1] == ' ');
    if (ends) is_in_address = is_in_query = false;
    if (message.compare(at, 3, "://") == 0) is_in_address = true;
    if (c == '?' && is_in_address) is_in_query = true;
    if (!is_in_query) text += c;
  }
  return text;
}

}  // namespace

ServerTroubles::Verdict ServerTroubles::take(int status, const std::string& message, SteadyTime now) {
  const auto since_last = now - std::exchange(last_, now);
  const std::string why = without_queries(message);
  if (status != 401 && status != 403) {
    if (std::exchange(told_outage_, true)) return {};
    return {.warning = "the API server does not answer, and is asked again: " + why};
  }
  // An outage between does not end the refusal, and its time does not count: a server that restarts refuses,
  // is down, and refuses again.
  if (!refused_for_) {
    refused_for_ = SteadyTime::duration(0);
  } else {
    *refused_for_ += since_last;
  }
  if (*refused_for_ >= refusal_timeout) {
    return {.end = Error{ErrorCode::unauthenticated, "the API server has refused the credentials for " +
                                                         std::to_string(refusal_timeout.count()) +
                                                         " minutes: " + why}};
  }
  if (std::exchange(told_refusal_, true)) return {};
  return {.warning = "the API server refuses the credentials, and is asked again for " +
                     std::to_string(refusal_timeout.count()) + " minutes: " + why};
}

void ServerTroubles::answered() {
  told_outage_ = told_refusal_ = false;
  refused_for_.reset();
}

}  // namespace fairway::adm
