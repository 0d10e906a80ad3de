// SPDX-License-Identifier: Apache-2.0

// Volumes that are put together of several sources.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/labels.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/signer_name.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view conflict = "conflicting duplicate paths";

/// The files of one volume.
struct Files {
  const Scope& volume;
  std::set<std::string_view> taken;

  /// Takes a path; if it is taken already, reports it with a value that shows where from.
  void take(std::string_view path, std::string_view shown) {
    if (!taken.insert(path).second) volume.invalid(".", json::Value(shown), conflict);
  }
};

/// Checks keys of a ConfigMap or Secret.
void check_keys(const Scope& source, Files& files) {
  if (source.text("name").empty()) source.required("name");
  source.each("items", [&](const Scope& item, std::size_t) {
    check_type("KeyToPath", item);
    if (const std::string_view path = item.text("path"); !path.empty()) files.take(path, source.text("name"));
  });
}

void check_downward(const Scope& source, Files& files) {
  for (const json::Value& item : source.list("items")) {
    const json::Object* object = item.if_object();
    if (object == nullptr) continue;
    const Scope file = source.other(*object, source.path());
    find_call("downward_file")(file);
    if (const std::string_view path = file.text("path"); !path.empty()) files.take(path, path);
  }
}

/// Checks the owner of a file.
void check_user(const Scope& file) {
  check_type("FileUser", file);
}

void check_token(const Scope& token, const Files& files) {
  constexpr std::int64_t least = 600, most = std::int64_t{1} << 32;
  const std::int64_t seconds = token.integer("expirationSeconds").value_or(0);
  if (seconds < least)
    token.invalid("expirationSeconds", json::Value(seconds),
                  "may not specify a duration less than 10 minutes");
  if (seconds > most)
    token.invalid("expirationSeconds", json::Value(seconds),
                  "may not specify a duration larger than 2^32 seconds");
  // Kubernetes names the volume here, not the source.
  if (const std::string_view path = token.text("path"); path.empty()) {
    files.volume.required("path");
  } else {
    files.volume.faults("path", path, check_local_path(path));
  }
  check_user(token);
}

void check_trust_bundle(const Scope& bundle, Files& files) {
  const bool by_name = bundle.has("name"), by_signer = bundle.has("signerName");
  if (by_name && by_signer) {
    bundle.invalid(".", json::Value(bundle.json()), "only one of name and signerName may be used");
  } else if (by_name) {
    const std::string_view name = bundle.text("name");
    if (name.empty()) bundle.required("name", "must be a valid object name");
    for (const std::string& fault : check_trust_bundle_name(name))
      bundle.invalid("name", json::Value(name), "not a valid clustertrustbundlename: " + fault);
    if (bundle.has("labelSelector"))
      bundle.invalid("labelSelector", bundle.value("labelSelector"),
                     "labelSelector must be unset if name is specified");
  } else if (by_signer) {
    if (bundle.text("signerName").empty()) bundle.required("signerName", "must be a valid signer name");
    check_signer_name(bundle, "signerName");
    if (bundle.has("labelSelector")) check_selector_at(bundle, "labelSelector");
  } else {
    bundle.required(".", "either name or signerName must be specified");
  }
  const std::string_view path = bundle.text("path");
  if (path.empty()) bundle.required("path");
  check_user(bundle);
  bundle.faults("path", path, check_local_path(path));
  files.take(path, path);
}

void check_pod_certificate(const Scope& certificate, Files& files) {
  const std::vector<std::string_view> types{"RSA3072",   "RSA4096",   "ECDSAP256",
                                            "ECDSAP384", "ECDSAP521", "ED25519"};
  check_signer_name(certificate, "signerName");
  check_user(certificate);
  if (std::ranges::find(types, certificate.text("keyType")) == types.end())
    certificate.not_supported("keyType", json::Value(certificate.text("keyType")), types);
  constexpr std::int64_t hour = 3600, day = 24 * hour;
  if (const auto seconds = certificate.integer("maxExpirationSeconds")) {
    const std::int64_t most = is_kubernetes_signer(certificate.text("signerName")) ? day : 91 * day;
    if (*seconds < hour)
      certificate.invalid("maxExpirationSeconds", json::Value(*seconds),
                          "if provided, maxExpirationSeconds must be >= 3600");
    if (*seconds > most)
      certificate.invalid("maxExpirationSeconds", json::Value(*seconds),
                          "if provided, maxExpirationSeconds must be <= " + std::to_string(most));
  }
  bool has_any = false;
  for (const std::string_view member : {"credentialBundlePath", "keyPath", "certificateChainPath"}) {
    const std::string_view path = certificate.text(member);
    if (path.empty()) continue;
    has_any = true;
    certificate.faults(member, path, check_local_path(path));
    files.take(path, path);
  }
  if (!has_any)
    certificate.required(".",
                         "specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
}

void check_projections(const Scope& volume) {
  Files files{volume, {}};
  volume.each("sources", [&](const Scope& source, std::size_t) {
    int count = 0;
    const auto take = [&](std::string_view name) { return source.has(name) && ++count > 0; };
    if (take("secret")) check_keys(source.child("secret"), files);
    if (take("configMap")) check_keys(source.child("configMap"), files);
    if (take("downwardAPI")) check_downward(source.child("downwardAPI"), files);
    if (take("serviceAccountToken")) check_token(source.child("serviceAccountToken"), files);
    if (take("clusterTrustBundle")) check_trust_bundle(source.child("clusterTrustBundle"), files);
    if (take("podCertificate")) check_pod_certificate(source.child("podCertificate"), files);
    if (count > 1) source.forbidden(".", "may not specify more than 1 volume type per source");
  });
}

constexpr std::array calls{NamedCall{"projections", &check_projections}};

}  // namespace

std::span<const NamedCall> projection_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
