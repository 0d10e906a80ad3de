// Who approves and signs CertificateSigningRequests.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/internal/access/attributes.h"
#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/user.h"
#include "k8s/object.h"

namespace fairway::apiserver::access {

using Authorizer = std::function<Decision(const User& user, const Attributes& attributes)>;

/// Why a user may not make `object` of the request `old`; empty: they may. Beside the right to the
/// subresource it takes the verb `approve` (of its approval) or `sign` (of a status with another certificate
/// or other conditions) on the resource `signers`, of the signer's name or of all of its domain
/// ("example.com/*"). Rules: plugin/pkg/admission/certificates of k8s.io/kubernetes.
std::string signer_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                         const k8s::Dynamic& old, bool is_approval);

/// Why nobody may make the request `object`, which is valid: it asks the signer of clients for a member of
/// system:masters. Empty: it may be made.
/// Rules: plugin/pkg/admission/certificates/subjectrestriction of k8s.io/kubernetes.
std::string subject_error(const k8s::Dynamic& object);

}  // namespace fairway::apiserver::access
