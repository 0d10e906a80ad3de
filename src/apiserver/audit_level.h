// How much of a request the audit log holds.
#pragma once

#include <string_view>

#include "base/result.h"

namespace fairway::apiserver {

/// As in Kubernetes's audit policies.
enum class AuditLevel {
  metadata,  ///< who asked for what, when, and what the answer was
  request,   ///< the body of the request too, where it is certain that nothing secret is in it
};

/// Of "Metadata" and "Request". Errors: `invalid`.
Result<AuditLevel> parse_audit_level(std::string_view text);

}  // namespace fairway::apiserver
