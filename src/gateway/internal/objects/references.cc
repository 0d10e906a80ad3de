// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/references.h"

#include <algorithm>

#include "base/text.h"
#include "http/certificate.h"
#include "http/key_facts.h"
#include "k8s/core.h"
#include "k8s/kinds/service.h"

namespace fairway::gateway {

namespace {

std::string name_of(std::string_view kind, std::string_view namespace_name, std::string_view name) {
  return std::string(kind) + " " + std::string(namespace_name) + "/" + printable(name);
}

ConditionError not_permitted(const std::string& what, std::string_view namespace_name) {
  return {"RefNotPermitted", what + " is in another namespace, and no ReferenceGrant of " +
                                 std::string(namespace_name) + " permits the reference"};
}

/// Returns the reason why Envoy's TLS library considers a key weak; std::nullopt: it does not. Envoy refuses
/// a listener with such a key.
std::optional<std::string> weakness(const http::KeyFacts& key) {
  if (key.algorithm == "RSA") {
    constexpr int most_exponent_bits = 33;
    if (key.exponent_bits > most_exponent_bits) {
      return "its RSA key has a public exponent of " + std::to_string(key.exponent_bits) + " bits, and " +
             std::to_string(most_exponent_bits) + " are the most that Envoy takes";
    }
    if (key.bits >= 2048) return std::nullopt;
    return "its RSA key has " + std::to_string(key.bits) + " bits, and 2048 are the least that Envoy takes";
  }
  if (key.algorithm == "EC") {
    if (key.group == "P-256" || key.group == "P-384" || key.group == "P-521") return std::nullopt;
    return "its EC key is on the curve " + key.group + ", and Envoy takes P-256, P-384 and P-521";
  }
  return "its key is of the type " + key.algorithm + ", and Envoy takes RSA and EC";
}

bool is_trust_bundle(const ObjectRef& ref) {
  return ref.group() == trust_bundle_group && ref.kind("") == trust_bundle_kind;
}

/// Returns the field in which an object has CA certificates.
std::string ca_field(const k8s::Dynamic& object) {
  return object.kind() == trust_bundle_kind ? "spec.trustBundle" : "ca.crt";
}

/// Returns the CA certificates of a ConfigMap, a Secret or a ClusterTrustBundle; std::nullopt: it has none,
/// or none in base64.
std::optional<std::string> ca_text(const k8s::Dynamic& object) {
  if (object.kind() == trust_bundle_kind) {
    const auto pem = object.find_text("spec.trustBundle");
    return pem ? std::optional<std::string>(*pem) : std::nullopt;
  }
  if (object.kind() == "Secret") return k8s::Secret(object.json()).data("ca.crt");
  const auto pem = object.map("data").find("ca.crt");
  return pem ? std::optional<std::string>(*pem) : std::nullopt;
}

std::optional<std::string> read_pair(const k8s::Dynamic& object, WallTime now, Certificate& out) {
  const k8s::Secret secret(object.json());
  const auto certificate = secret.data("tls.crt"), key = secret.data("tls.key");
  if (!certificate || !key) return "it has no tls.crt and tls.key in base64";
  const auto facts = http::read_certificates(*certificate, "tls.crt");
  if (!facts) return facts.error().message;
  if (auto checked = http::check_key({*certificate, *key}, "tls.key"); !checked)
    return checked.error().message;
  const auto strength = http::read_key_facts(*key);
  if (!strength) return strength.error().within("tls.key").message;
  if (auto weak = weakness(*strength)) return weak;
  const http::CertificateFacts& leaf = facts->front();
  if (strength->algorithm == "EC" && !leaf.may_sign)
    return "its certificate's keyUsage has no digitalSignature, without which Envoy takes no EC key";
  if (leaf.must_staple)
    return "its certificate asks for an OCSP response with it (tlsfeature status_request, must-staple), "
           "which "
           "a Secret cannot hold and without which Envoy does not take it";
  out.names = leaf.names;
  out.is_expired = now < leaf.validity.from || now > leaf.validity.until;
  return std::nullopt;
}

bool speaks(RouteKind route, const k8s::ServicePort& port) {
  if (port.protocol() != (route == RouteKind::udp ? "UDP" : "TCP")) return false;
  const std::string_view protocol = port.app_protocol();
  // Names with Kubernetes's prefix have a meaning that has to be known; others are only informative.
  return !is_http(route) || !protocol.starts_with("kubernetes.io/") || protocol == "kubernetes.io/h2c" ||
         protocol == "kubernetes.io/ws" || protocol == "kubernetes.io/wss";
}

}  // namespace

std::optional<ConditionError> resolve_certificate(const Objects& objects, std::string_view from_kind,
                                                  std::string_view from_namespace, const ObjectRef& ref,
                                                  std::string_view invalid, WallTime now, Certificate& out) {
  const std::string reason(invalid);
  if (!ref.group().empty() || ref.kind("Secret") != "Secret") {
    return ConditionError{reason, "a certificate must be a Secret, and the reference names the kind " +
                                      printable(ref.kind("Secret")) + " of the group \"" +
                                      printable(ref.group()) + "\""};
  }
  const std::string_view in = ref.namespace_name(from_namespace);
  const std::string what = name_of("Secret", in, ref.name());
  // First, so that nobody learns what is in a namespace that does not let them look.
  if (!objects.may_refer(from_kind, from_namespace, "Secret", in, ref.name())) return not_permitted(what, in);
  const k8s::Dynamic* secret = objects.find("", "Secret", in, ref.name());
  if (secret == nullptr) return ConditionError{reason, what + " does not exist"};
  if (auto fault = read_pair(*secret, now, out)) return ConditionError{reason, what + ": " + *fault};
  return std::nullopt;
}

std::optional<ConditionError> ca_problem(const Objects& objects, std::string_view from_kind,
                                         std::string_view from_namespace, const ObjectRef& ref,
                                         std::string_view invalid_kind) {
  const std::string_view kind = ref.kind("ConfigMap");
  const bool is_bundle = is_trust_bundle(ref);
  if (!is_bundle && (!ref.group().empty() || (kind != "ConfigMap" && kind != "Secret"))) {
    return ConditionError{std::string(invalid_kind),
                          "CA certificates must be a ConfigMap, a Secret or a ClusterTrustBundle, and the "
                          "reference names the kind " +
                              printable(kind) + " of the group \"" + printable(ref.group()) + "\""};
  }
  const std::string_view in = is_bundle ? "" : ref.namespace_name(from_namespace);
  const std::string what =
      is_bundle ? std::string(kind) + " " + printable(ref.name()) : name_of(kind, in, ref.name());
  if (is_bundle && ref.has("namespace"))
    return ConditionError{"InvalidCACertificateRef",
                          "the reference to " + what + " has a namespace, and must have none"};
  if (!is_bundle && !objects.may_refer(from_kind, from_namespace, kind, in, ref.name()))
    return not_permitted(what, in);
  const k8s::Dynamic* object = objects.find(ref.group(), kind, in, ref.name());
  if (object == nullptr)
    return ConditionError{
        "InvalidCACertificateRef",
        what + (is_bundle ? " does not exist, or the controller may not read it" : " does not exist")};
  const std::string field = ca_field(*object);
  const auto pem = ca_text(*object);
  if (!pem) return ConditionError{"InvalidCACertificateRef", what + " has no " + field};
  if (const auto read = http::read_certificates(*pem, field); !read) {
    return ConditionError{"InvalidCACertificateRef", what + ": " + read.error().message};
  }
  return std::nullopt;
}

std::string ca_certificates(const Objects& objects, std::string_view from_kind,
                            std::string_view from_namespace, const ObjectRef& ref) {
  if (ca_problem(objects, from_kind, from_namespace, ref, "InvalidKind")) return {};
  const std::string_view in = is_trust_bundle(ref) ? "" : ref.namespace_name(from_namespace);
  std::string pem = *ca_text(*objects.find(ref.group(), ref.kind("ConfigMap"), in, ref.name()));
  if (!pem.ends_with('\n')) pem += '\n';
  return pem;
}

std::optional<ConditionError> backend_problem(const Objects& objects, RouteKind route,
                                              std::string_view from_namespace, const ObjectRef& ref) {
  if (!ref.group().empty() || ref.kind("Service") != "Service") {
    return ConditionError{"InvalidKind", "a backend must be a Service, and the reference names the kind " +
                                             printable(ref.kind("Service")) + " of the group \"" +
                                             printable(ref.group()) + "\""};
  }
  const std::string_view in = ref.namespace_name(from_namespace);
  const std::string what = name_of("Service", in, ref.name());
  if (!objects.may_refer(to_string(route), from_namespace, "Service", in, ref.name()))
    return not_permitted(what, in);
  const k8s::Dynamic* found = objects.find("", "Service", in, ref.name());
  if (found == nullptr) return ConditionError{"BackendNotFound", what + " does not exist"};
  const k8s::Service service(found->json());
  if (service.type() == "ExternalName") {
    return ConditionError{"InvalidKind",
                          what + " is of the type ExternalName, which may lead anywhere (CVE-2021-25740)"};
  }
  if (!ref.port()) return ConditionError{"BackendNotFound", "the reference to " + what + " names no port"};
  bool is_there = false;
  for (const k8s::ServicePort& port : service.ports()) {
    if (port.port() != *ref.port()) continue;
    if (speaks(route, port)) return std::nullopt;
    is_there = true;
  }
  const std::string at = "port " + std::to_string(*ref.port()) + " of " + what;
  if (!is_there) return ConditionError{"BackendNotFound", at + " does not exist"};
  return ConditionError{"UnsupportedProtocol", at + " has a protocol that a backend of " +
                                                   std::string(to_string(route)) + " cannot have"};
}

}  // namespace fairway::gateway
