// SPDX-License-Identifier: Apache-2.0

// The subject of a request for a certificate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::http {

/// The subject of a request for a certificate (PKCS #10).
struct CertificateRequest {
  /// Kubernetes takes the common name for a user, and the organizations for the user's groups.
  std::string common_name = {};
  std::vector<std::string> organizations = {};
};

/// Reads a request (PEM), and checks that its own key has signed it. Errors: `invalid`.
Result<CertificateRequest> read_certificate_request(std::string_view pem);

}  // namespace fairway::http
