// SPDX-License-Identifier: Apache-2.0

// The level of the audit log: the part of a request that it records.
#pragma once

#include <string_view>

#include "base/result.h"

namespace fairway::apiserver {

/// The amount that the audit log keeps of each request. The levels are those of Kubernetes's audit policies.
enum class AuditLevel {
  metadata,  ///< the user, the request, its times, and the outcome
  request,   ///< also the body of the request, where it is certain that nothing secret is in it
};

/// Parses "Metadata" or "Request". Errors: `invalid`.
Result<AuditLevel> parse_audit_level(std::string_view text);

}  // namespace fairway::apiserver
