// SPDX-License-Identifier: Apache-2.0

// The rules of CertificateSigningRequests.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of CertificateSigningRequests. A request names its requester, set by the server, and
/// never changes. Its approval and its certificate are written by different users.
/// Rules: pkg/registry/certificates and pkg/apis/certificates/validation of k8s.io/kubernetes.
std::shared_ptr<const Strategy> certificate_request_strategy();

}  // namespace fairway::apiserver::resources
