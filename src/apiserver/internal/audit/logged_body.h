// SPDX-License-Identifier: Apache-2.0

// The body of a request, as far as the audit log may have it.
#pragma once

#include <string>
#include <vector>

#include "apiserver/internal/audit/audit_event.h"
#include "base/json.h"

namespace fairway::apiserver::audit {

/// The part of a body that the audit log has.
struct LoggedBody {
  /// The logged body; null: none.
  json::Value body;
  /// Reason why the body is not logged: "the body names no kind". Empty if there was no body, or if it is
  /// logged.
  std::string left_out;
  /// Parts that were taken out, in alphabetical order: "spec.request".
  std::vector<std::string> without;

  /// Returns whether the request had a body that the log has not all of.
  bool is_incomplete() const { return !left_out.empty() || !without.empty(); }
};

/// Returns the part of the body of an event's request that may be logged. A body is logged only if it is
/// certainly of the kind that the request takes: read as its Content-Type says, with that kind and version,
/// without a field that is unknown or present twice, and with no Secret in it. A patch may leave kind and
/// version out, and so may the options of a delete. Nothing of Secrets, TokenReviews, TokenRequests and
/// patches of CertificateSigningRequests is logged, nor `spec.request` of the latter, nor kubectl's
/// last-applied-configuration, which may quote any object.
LoggedBody logged_body(const AuditEvent& event);

}  // namespace fairway::apiserver::audit
