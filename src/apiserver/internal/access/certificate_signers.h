// SPDX-License-Identifier: Apache-2.0

// The rights to approve and to sign requests of certificates, and to attest for signers.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/user.h"
#include "k8s/object.h"

namespace fairway::apiserver::access {

/// Returns the reason why a user may not change the request `old` to `object`; empty: they may. Besides the
/// right to the subresource it takes the verb `approve` (for its approval) or `sign` (for a status with
/// another certificate or other conditions) on the resource `signers`, with the signer's name or the name of
/// all of its domain ("example.com/*").
/// Rules: plugin/pkg/admission/certificates of k8s.io/kubernetes.
std::string signer_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                         const k8s::Dynamic& old, bool is_approval);

/// Returns the reason why a user may not create the ClusterTrustBundle `object`, or change `old` to it;
/// empty: they may. A bundle of a signer takes the verb `attest` on it, except for changes of finalizers and
/// owners alone. Rules: plugin/pkg/admission/certificates/ctbattest of k8s.io/kubernetes.
std::string attest_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                         const k8s::Dynamic* old);

/// Returns the reason why a user may not write the status of a PodCertificateRequest, which takes the verb
/// `sign` on its signer; empty: they may, or nothing changes.
/// Rules: pkg/registry/certificates/podcertificaterequest of k8s.io/kubernetes.
std::string request_signer_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                                 const k8s::Dynamic& old);

/// Returns the reason why nobody may create the request `object`, which is valid: it asks the signer of
/// client certificates for a member of system:masters. Empty: it may be created.
/// Rules: plugin/pkg/admission/certificates/subjectrestriction of k8s.io/kubernetes.
std::string subject_error(const k8s::Dynamic& object);

}  // namespace fairway::apiserver::access
