// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/signer_name.h"

#include <algorithm>
#include <string>

#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::size_t longest_domain = 253, longest_label = 63;

/// Reports the faults of the first part, between dots, that has any.
void check_parts(const Scope& scope, std::string_view member, std::string_view text,
                 k8s::Faults (*check)(std::string_view)) {
  for (const std::string_view part : split(text, '.')) {
    const k8s::Faults faults = check(part);
    for (const std::string& fault : faults)
      scope.invalid(member, json::Value(text), "validating label " + quote(part) + ": " + fault);
    if (!faults.empty()) return;
  }
}

}  // namespace

void check_signer_name(const Scope& scope, std::string_view member) {
  const std::string_view name = scope.text(member);
  if (name.empty()) {
    scope.required(member);
    return;
  }
  const auto parts = split(name, '/');
  if (parts.size() != 2) {
    scope.invalid(member, json::Value(name),
                  "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (parts[0].size() > longest_domain) scope.too_long(member, longest_domain);
  check_parts(scope, member, parts[0], &k8s::check_dns_label);
  if (split(parts[0], '.').size() < 2)
    scope.invalid(member, json::Value(parts[0]),
                  "should be a domain with at least two segments separated by dots");
  check_parts(scope, member, parts[1], &k8s::check_dns_subdomain);
  constexpr std::size_t longest = 2 * longest_domain + longest_label + 2;
  if (name.size() > longest) scope.too_long(member, longest);
}

bool is_kubernetes_signer(std::string_view name) {
  const std::string_view host = name.substr(0, name.find('/'));
  return host == "kubernetes.io" || host.ends_with(".kubernetes.io");
}

k8s::Faults check_trust_bundle_name(std::string_view name) {
  // What is before the last colon is the signer, with colons for slashes.
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && name.substr(0, colon).find('/') != std::string_view::npos) {
    std::string signer(name.substr(0, colon)), prefix = signer;
    std::ranges::replace(signer, ':', '/');
    std::ranges::replace(prefix, '/', ':');
    return {"ClusterTrustBundle for signerName " + signer + " must be named with prefix " + prefix + ":"};
  }
  if (colon == 0) return {"ClusterTrustBundle without signer name must not have \":\" in its name"};
  return k8s::check_dns_subdomain(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

}  // namespace fairway::apiserver::validation
