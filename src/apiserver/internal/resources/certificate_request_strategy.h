// The rules of CertificateSigningRequests.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver {

/// A request says who has made it, in the server's words, and never changes; its approval and its certificate
/// are written by different people. Rules: pkg/registry/certificates and pkg/apis/certificates/validation of
/// k8s.io/kubernetes.
std::shared_ptr<const Strategy> certificate_request_strategy();

}  // namespace fairway::apiserver
