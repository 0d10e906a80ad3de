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

/// Returns whether a user has a verb on a signer, or on all signers of its domain.
bool may(const Authorizer& authorize, const User& user, const std::string& verb, const std::string& signer) {
  Attributes attributes{.verb = verb,
                        .is_resource = true,
                        .group = "certificates.k8s.io",
                        .version = "*",
                        .resource = "signers",
                        .name = signer};
  if (authorize(user, attributes).allowed) return true;
  attributes.name = signer.substr(0, signer.find('/')) + "/*";
  return authorize(user, attributes).allowed;
}

/// Returns whether an update changes nothing but finalizers and owners, as the garbage collector does.
bool keeps_meaning(const k8s::Dynamic& object, const k8s::Dynamic& old) {
  k8s::Dynamic changed(object), before(old);
  for (k8s::Dynamic* one : {&changed, &before}) {
    for (const std::string_view field : {"metadata.finalizers", "metadata.ownerReferences",
                                         "metadata.resourceVersion", "metadata.managedFields"})
      one->erase(field);
  }
  return json::Value(changed.json()) == json::Value(before.json());
}

}  // namespace

std::string signer_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                         const k8s::Dynamic& old, bool is_approval) {
  if (!is_approval && k8s::equal_with_null_as_absent(object, old, "status.certificate") &&
      k8s::equal_with_null_as_absent(object, old, "status.conditions")) {
    return {};
  }
  // The signer of the old object: a client must not choose the signer by which its right is checked.
  const std::string signer(old.text("spec.signerName"));
  const std::string verb = is_approval ? "approve" : "sign";
  if (may(authorize, user, verb, signer)) return {};
  return "user not permitted to " + verb + " requests with signerName " + quote(signer);
}

std::string attest_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                         const k8s::Dynamic* old) {
  const std::string signer(object.text("spec.signerName"));
  if (signer.empty() || (old != nullptr && keeps_meaning(object, *old))) return {};
  if (may(authorize, user, "attest", signer)) return {};
  return "user not permitted to attest for signerName " + quote(signer);
}

std::string request_signer_error(const Authorizer& authorize, const User& user, const k8s::Dynamic& object,
                                 const k8s::Dynamic& old) {
  if (k8s::equal_with_null_as_absent(object, old, "status")) return {};
  const std::string signer(old.text("spec.signerName"));
  if (may(authorize, user, "sign", signer)) return {};
  return "User " + quote(user.name) + " is not permitted to \"sign\" for signer " + quote(signer);
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
