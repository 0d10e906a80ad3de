// Resolution: what references to Services, Secrets and ConfigMaps lead to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "gateway/internal/objects/api.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

using k8s::ConditionError;

/// A key pair of a Secret that Envoy takes.
struct Certificate {
  /// The names that it is valid for.
  std::vector<std::string> names;
  bool is_expired = false;
};

/// What a reference to a Secret with a certificate and its key leads to. The problem's reason is `invalid` or
/// RefNotPermitted. `now` decides what has expired.
std::optional<ConditionError> resolve_certificate(const Objects& objects, std::string_view from_kind,
                                                  std::string_view from_namespace, const ObjectRef& ref,
                                                  std::string_view invalid, WallTime now, Certificate& out);

/// What is wrong with a reference to a ConfigMap with CA certificates (`ca.crt`), if anything. Reasons:
/// InvalidCACertificateRef, RefNotPermitted, and `invalid_kind`.
std::optional<ConditionError> ca_problem(const Objects& objects, std::string_view from_kind,
                                         std::string_view from_namespace, const ObjectRef& ref,
                                         std::string_view invalid_kind);

/// The CA certificates, in PEM, that a reference leads to; empty where `ca_problem` has one.
std::string ca_certificates(const Objects& objects, std::string_view from_kind,
                            std::string_view from_namespace, const ObjectRef& ref);

/// What is wrong with a reference from a route to a backend, if anything. Reasons: InvalidKind,
/// RefNotPermitted, BackendNotFound, UnsupportedProtocol.
std::optional<ConditionError> backend_problem(const Objects& objects, RouteKind route,
                                              std::string_view from_namespace, const ObjectRef& ref);

}  // namespace fairway::gateway
