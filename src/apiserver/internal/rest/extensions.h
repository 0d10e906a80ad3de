// SPDX-License-Identifier: Apache-2.0

// Extension points of the REST server: authentication, authorization, admission, audit.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/access/user.h"
#include "apiserver/internal/admission/admission.h"
#include "apiserver/internal/audit/audit_log.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/served_resource.h"
#include "base/clock.h"
#include "http/message.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Functions of the server that are not about REST itself. If one is empty, the server does without.
struct Extensions {
  /// Tokens whose bearers are authenticated, besides client certificates; null: none.
  const access::Tokens* tokens = nullptr;
  /// Decides whether a request is allowed; the reason of a refusal may be empty. Default: members of
  /// system:masters may do everything, others nothing.
  std::function<access::Decision(const access::User& user, const access::Attributes& attributes)> authorize;
  /// Returns all that a user may do in a namespace. Default: nothing is known.
  std::function<access::HeldRules(const access::User& user, std::string_view namespace_name)> rules_of;
  /// Admission of the writes of clients; null: none.
  admission::Admission* admission = nullptr;
  /// Log that receives every request except those for health and version; null: none.
  audit::AuditLog* audit = nullptr;
  /// True: `/fairway/faults` is served.
  bool test_faults = false;
  /// The clock that `/fairway/clock` advances; null: it is not served.
  FakeClock* test_clock = nullptr;
};

}  // namespace fairway::apiserver::rest
