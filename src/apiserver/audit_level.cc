// SPDX-License-Identifier: Apache-2.0

#include "apiserver/audit_level.h"

#include <string>

#include "base/text.h"

namespace fairway::apiserver {

Result<AuditLevel> parse_audit_level(std::string_view text) {
  if (text == "Metadata") return AuditLevel::metadata;
  if (text == "Request") return AuditLevel::request;
  return fail(ErrorCode::invalid,
              "the audit level '" + printable(text) + "' is neither Metadata nor Request");
}

}  // namespace fairway::apiserver
