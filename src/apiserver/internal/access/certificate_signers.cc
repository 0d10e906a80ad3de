// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/certificate_signers.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/quoted_text.h"
#include "http/certificate_request.h"
#include "k8s/equality.h"

namespace fairway::apiserver::access {
namespace {

bool is_same(const k8s::Dynamic& a, const k8s::Dynamic& b, std::string_view path) {
  return k8s::equal_with_null_as_absent(a.find(path), b.find(path));
}

}  // namespace

std::string signer_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                         const k8s::Dynamic& old, bool is_approval) {
  if (!is_approval && is_same(object, old, "status.certificate") &&
      is_same(object, old, "status.conditions")) {
    return {};
  }
  // The signer of the old object: a client must not choose the signer by which its right is checked.
  const std::string signer(old.text("spec.signerName"));
  const std::string verb = is_approval ? "approve" : "sign";
  Attributes attributes{.verb = verb,
                        .is_resource = true,
                        .group = "certificates.k8s.io",
                        .version = "*",
                        .resource = "signers",
                        .name = signer};
  if (authorize(user, attributes).allowed) return {};
  attributes.name = signer.substr(0, signer.find('/')) + "/*";
  if (authorize(user, attributes).allowed) return {};
  return "user not permitted to " + verb + " requests with signerName " + quote(signer);
}

std::string subject_error(const k8s::Dynamic& object) {
  constexpr std::string_view signer = "kubernetes.io/kube-apiserver-client";
  if (object.text("spec.signerName") != signer) return {};
  const auto request =
      http::read_certificate_request(base64_decode(object.text("spec.request")).value_or(""));
  if (!request) return "failed to parse CSR: " + request.error().message;
  if (std::ranges::find(request->organizations, masters_group) == request->organizations.end()) return {};
  return "use of " + std::string(signer) + " signer with system:masters group is not allowed";
}

}  // namespace fairway::apiserver::access
