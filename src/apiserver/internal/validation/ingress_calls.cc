// SPDX-License-Identifier: Apache-2.0

// Ingresses and their classes.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/ip_address.h"
#include "apiserver/internal/validation/pod_facts.h"

namespace fairway::apiserver::validation {
namespace {

/// Checks that the former annotation about the class says what the field says. Only a new object is checked.
void check_class_annotation(const Scope& ingress) {
  constexpr std::string_view annotation = "kubernetes.io/ingress.class";
  const Scope metadata = ingress.child("metadata"), spec = ingress.child("spec");
  const auto name = metadata.map("annotations").find(annotation);
  if (ingress.facts().is_update || !name || !spec.has("ingressClassName")) return;
  if (*name == spec.text("ingressClassName")) return;
  const Path path("annotations");
  ingress.other(ingress.json(), path)
      .invalid(annotation, json::Value(*name), "must match `ingressClassName` when both are specified");
}

void check_ingress_content(const Scope& spec) {
  if (spec.list("rules").empty() && !spec.has("defaultBackend"))
    spec.invalid(".", json::Value(), "either `defaultBackend` or `rules` must be specified");
}

void check_host(const Scope& scope, const Path& path, std::string_view host) {
  const bool has_star = host.find('*') != std::string_view::npos;
  add_faults(scope.errors(), path, host,
             has_star ? check_wildcard_domain(host) : k8s::check_dns_subdomain(host));
}

/// Returns whether the rules for a host with an asterisk were wrong before an update, and may stay so.
bool had_bad_wildcard_rules(const Scope& spec) {
  const json::Object* old = spec.facts().old_object;
  if (old == nullptr) return false;
  Errors errors;
  for (const k8s::View& rule : k8s::View(*old).items("spec.rules")) {
    if (rule.text("host").find('*') != std::string_view::npos && rule.has("http"))
      check_type("HTTPIngressRuleValue", Scope(rule.at("http").json(), Path(), spec.facts(), errors));
  }
  return !errors.empty();
}

void check_ingress_rules(const Scope& spec) {
  const bool skips_wildcards = had_bad_wildcard_rules(spec);
  spec.each("rules", [&](const Scope& rule, std::size_t) {
    const std::string_view host = rule.text("host");
    if (!host.empty()) {
      if (parse_address(host))
        rule.invalid("host", json::Value(host), "must be a DNS name, not an IP address");
      check_host(rule, rule.path().child("host"), host);
    }
    if (skips_wildcards && host.find('*') != std::string_view::npos) return;
    if (rule.has("http")) check_type("HTTPIngressRuleValue", rule.child("http"));
  });
}

void check_secret_name(const Scope& tls, bool allows_bad) {
  const std::string_view name = tls.text("secretName");
  if (!allows_bad && !name.empty()) tls.faults("secretName", name, k8s::check_dns_subdomain(name));
}

void check_ingress_certificates(const Scope& spec) {
  bool allows_bad = false;
  if (const json::Object* old = spec.facts().old_object) {
    allows_bad = std::ranges::any_of(k8s::View(*old).items("spec.tls"), [](const k8s::View& tls) {
      const std::string_view name = tls.text("secretName");
      return !name.empty() && !k8s::check_dns_subdomain(name).empty();
    });
  }
  spec.each("tls", [&](const Scope& tls, std::size_t) {
    const Path hosts = tls.path().child("hosts");
    std::size_t index = 0;
    for (const std::string_view host : tls.texts("hosts")) check_host(tls, hosts.item(index++), host);
    check_secret_name(tls, allows_bad);
  });
}

void check_ingress_path(const Scope& path) {
  const std::string_view type = path.text("pathType"), text = path.text("path");
  if (!path.has("pathType")) {
    path.required("pathType", "pathType must be specified");
    return;
  }
  const bool is_strict = type == "Exact" || type == "Prefix";
  const auto bad = [&](std::string_view detail) { path.invalid("path", json::Value(text), detail); };
  if (!is_strict && type != "ImplementationSpecific") {
    path.not_supported("pathType", json::Value(type), {"Exact", "ImplementationSpecific", "Prefix"});
  } else if (!text.starts_with('/') && (is_strict || !text.empty())) {
    bad("must be an absolute path");
  }
  if (is_strict) {
    for (const std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (text.find(part) != std::string_view::npos) bad("must not contain '" + std::string(part) + "'");
    }
    for (const std::string_view end : {"/..", "/."}) {
      if (text.ends_with(end)) bad("cannot end with '" + std::string(end) + "'");
    }
  }
  check_type("IngressBackend", path.child("backend"));
}

void check_backend_service(const Scope& backend) {
  const Scope service = backend.child("service"), port = service.child("port");
  const std::string_view name = service.text("name"), port_name = port.text("name");
  const auto number = port.integer("number").value_or(0);
  if (name.empty()) {
    service.required("name");
  } else {
    service.faults("name", name, k8s::check_dns_label(name));
  }
  if (!port_name.empty() && number != 0) {
    backend.invalid(".", json::Value(""), "cannot set both port name & port number");
  } else if (!port_name.empty()) {
    port.faults("name", port_name, check_port_name(port_name));
  } else if (number == 0) {
    backend.required(".", "port name or number is required");
  } else {
    for (const std::string& fault : check_port_number(number))
      port.invalid("number", json::Value(number), fault);
  }
}

void check_ingress_backend(const Scope& backend) {
  const bool has_resource = backend.has("resource"), has_service = backend.has("service");
  if (has_resource && has_service) {
    backend.invalid(".", json::Value(""), "cannot set both resource and service backends");
  } else if (has_resource) {
    check_type("TypedLocalReference", backend.child("resource"));
  } else if (has_service) {
    check_backend_service(backend);
  } else {
    backend.invalid(".", json::Value(""), "resource or service backend is required");
  }
}

/// Returns whether a text can be the path of a URL.
bool is_url_path(std::string_view text) {
  constexpr std::string_view others = "/%-._~!$&'()*+,;=:";
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

/// Checks the name of the controller of a class: "example.com/name".
void check_class_controller(const Scope& spec) {
  constexpr std::size_t longest = 250;
  const std::string_view name = spec.text("controller");
  if (name.size() > longest) spec.too_long("controller", longest);
  const std::size_t slash = name.find('/');
  if (name.empty()) {
    spec.required("controller");
  } else if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size()) {
    spec.invalid("controller", json::Value(name), "must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    const std::string_view domain = name.substr(0, slash), path = name.substr(slash + 1);
    spec.faults("controller", domain, k8s::check_dns_subdomain(domain));
    if (!is_url_path(path)) {
      spec.invalid("controller", json::Value(path),
                   "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
    }
  }
}

void check_class_scope(const Scope& parameters) {
  const std::string_view scope = parameters.text("scope"), name = parameters.text("namespace");
  const bool has_namespace = parameters.has("namespace");
  if (!parameters.has("scope")) {
    parameters.required("scope");
  } else if (scope == "Namespace") {
    if (has_namespace) {
      parameters.faults("namespace", name, k8s::check_dns_label(name));
    } else {
      parameters.required("namespace", "`parameters.scope` is set to 'Namespace'");
    }
  } else if (scope == "Cluster") {
    if (has_namespace) parameters.forbidden("namespace", "`parameters.scope` is set to 'Cluster'");
  } else {
    parameters.not_supported("scope", json::Value(scope), {"Cluster", "Namespace"});
  }
}

constexpr std::array calls{
    NamedCall{"class_annotation", &check_class_annotation},
    NamedCall{"ingress_content", &check_ingress_content},
    NamedCall{"ingress_rules", &check_ingress_rules},
    NamedCall{"ingress_certificates", &check_ingress_certificates},
    NamedCall{"ingress_path", &check_ingress_path},
    NamedCall{"ingress_backend", &check_ingress_backend},
    NamedCall{"class_controller", &check_class_controller},
    NamedCall{"class_scope", &check_class_scope},
};

}  // namespace

std::span<const NamedCall> ingress_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
