// The body of a request, as far as the audit log may have it.
#pragma once

#include <string>
#include <vector>

#include "apiserver/internal/audit/audit_event.h"
#include "base/json.h"

namespace fairway::apiserver {

/// The part of a body that the audit log has.
struct LoggedBody {
  /// Null: nothing.
  json::Value body;
  /// Why nothing of a body is in it: "the body names no kind". Empty if there was no body, or if it is there.
  std::string left_out;
  /// Parts that were taken out, in alphabetical order: "spec.request".
  std::vector<std::string> without;

  /// True: the request had a body, and the log has not all of it.
  bool is_incomplete() const { return !left_out.empty() || !without.empty(); }
};

/// Decides what the log may have of the body of an event's request. It has only what is certainly of the kind
/// that the request takes: read as its Content-Type says, with that kind and version, without a field that
/// the kind has not or that is there twice, and with no Secret in it. A patch may leave kind and version out,
/// and so may the options of a delete. Nothing of Secrets, TokenReviews and TokenRequests and of patches of
/// CertificateSigningRequests is logged, nor `spec.request` of the latter, nor kubectl's
/// last-applied-configuration, which may quote any object.
LoggedBody logged_body(const AuditEvent& event);

}  // namespace fairway::apiserver
