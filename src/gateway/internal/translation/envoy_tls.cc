// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_tls.h"

#include <string>
#include <vector>

#include "base/base64.h"
#include "gateway/internal/attachment/listeners.h"
#include "gateway/internal/attachment/policies.h"
#include "gateway/internal/objects/references.h"
#include "gateway/internal/translation/envoy_json.h"
#include "gateway/internal/translation/envoy_names.h"
#include "k8s/core.h"

namespace fairway::gateway {

namespace {

using k8s::View;

/// The file in which Debian and its derivatives keep the certificates of public CAs.
constexpr std::string_view system_authorities = "/etc/ssl/certs/ca-certificates.crt";

/// Adds the key pair that a reference leads to, and returns the configuration that refers to it.
json::Value key_pair(const Objects& objects, const ObjectRef& ref, std::string_view from_namespace,
                     Translation& out) {
  const std::string_view in = ref.namespace_name(from_namespace);
  const k8s::Secret secret(objects.find("", "Secret", in, ref.name())->json());
  const std::string name = secret_name(ref, from_namespace);
  // Bytes of protobuf's JSON are base64, too.
  const auto bytes = [&](std::string_view key) {
    return json::Object{{"inline_bytes", base64_encode(secret.data(key).value_or(""))}};
  };
  out.secrets.emplace(name,
                      json::Object{{"name", name},
                                   {"tls_certificate", json::Object{{"certificate_chain", bytes("tls.crt")},
                                                                    {"private_key", bytes("tls.key")}}}});
  return json::Object{{"name", name}, {"sds_config", by_ads()}};
}

}  // namespace

json::Object listener_tls(const Objects& objects, const k8s::Dynamic& gateway, const Listener& listener,
                          bool is_http, Translation& out) {
  json::Object common, context;
  json::Array pairs;
  for (const ObjectRef& ref : listener.spec.certificates())
    pairs.push_back(key_pair(objects, ref, listener.owner->namespace_name(), out));
  common["tls_certificate_sds_secret_configs"] = std::move(pairs);
  if (is_http) {
    common["alpn_protocols"] = json::Array{"h2", "http/1.1"};
    const View validation = frontend_tls(gateway, listener.spec.port()).at("validation");
    const auto refs = validation.items<ObjectRef>("caCertificateRefs");
    if (!refs.empty()) {
      std::string authorities;
      for (const ObjectRef& ref : refs)
        authorities += ca_certificates(objects, "Gateway", gateway.namespace_name(), ref);
      json::Object checks{{"trusted_ca", json::Object{{"inline_string", authorities}}}};
      const bool lets_all_in = validation.text("mode") == "AllowInsecureFallback";
      if (lets_all_in) checks["trust_chain_verification"] = "ACCEPT_UNTRUSTED";
      context["require_client_certificate"] = !lets_all_in;
      common["validation_context"] = std::move(checks);
    }
  }
  context["common_tls_context"] = std::move(common);
  return extension("envoy.transport_sockets.tls",
                   "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext", std::move(context));
}

json::Object backend_tls(const Objects& objects, const k8s::Dynamic& gateway, const k8s::Dynamic& policy,
                         bool is_http2, Translation& out) {
  const View validation = policy.at("spec.validation");
  const std::string_view hostname = validation.text("hostname");
  json::Object checks;
  std::string authorities;
  for (const json::Object& ref : local_references(policy))
    authorities += ca_certificates(objects, "BackendTLSPolicy", policy.namespace_name(), ObjectRef(ref));
  checks["trusted_ca"] = authorities.empty() ? json::Object{{"filename", system_authorities}}
                                             : json::Object{{"inline_string", authorities}};
  json::Array names;
  const auto allow = [&](std::string_view type, std::string_view name) {
    names.push_back(json::Object{{"san_type", type}, {"matcher", json::Object{{"exact", name}}}});
  };
  // Names that the policy lists take the place of the hostname, which is then for SNI alone.
  for (const View& name : validation.items("subjectAltNames"))
    allow(name.text("type") == "URI" ? "URI" : "DNS",
          name.text(name.text("type") == "URI" ? "uri" : "hostname"));
  if (names.empty()) allow("DNS", hostname);
  checks["match_typed_subject_alt_names"] = std::move(names);
  json::Object common{{"validation_context", std::move(checks)}};
  if (is_http2) common["alpn_protocols"] = json::Array{"h2"};
  if (gateway.has("spec.tls.backend.clientCertificateRef")) {
    const ObjectRef own(gateway.at("spec.tls.backend.clientCertificateRef").json());
    common["tls_certificate_sds_secret_configs"] =
        json::Array{key_pair(objects, own, gateway.namespace_name(), out)};
  }
  return extension("envoy.transport_sockets.tls",
                   "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                   {{"sni", hostname}, {"common_tls_context", std::move(common)}});
}

}  // namespace fairway::gateway
