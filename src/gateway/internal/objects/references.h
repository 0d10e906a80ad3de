// SPDX-License-Identifier: Apache-2.0

// Resolution: what references to Services, Secrets, ConfigMaps and ClusterTrustBundles lead to.
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

/// A key pair of a Secret that Envoy accepts.
struct Certificate {
  /// The names that it is valid for.
  std::vector<std::string> names;
  bool is_expired = false;
};

/// Resolves a reference to a Secret with a certificate and its key into `out`. Returns the problem with it,
/// if any; its reason is `invalid` or RefNotPermitted. `now` decides which certificates have expired.
std::optional<ConditionError> resolve_certificate(const Objects& objects, std::string_view from_kind,
                                                  std::string_view from_namespace, const ObjectRef& ref,
                                                  std::string_view invalid, WallTime now, Certificate& out);

/// Returns the problem, if any, with a reference to CA certificates: a ConfigMap or Secret (`ca.crt`), or a
/// ClusterTrustBundle (`spec.trustBundle`), whose reference has no namespace. Reasons:
/// InvalidCACertificateRef, RefNotPermitted, and `invalid_kind`.
std::optional<ConditionError> ca_problem(const Objects& objects, std::string_view from_kind,
                                         std::string_view from_namespace, const ObjectRef& ref,
                                         std::string_view invalid_kind);

/// Returns the CA certificates that a reference leads to, in PEM; empty if `ca_problem` returns a problem.
std::string ca_certificates(const Objects& objects, std::string_view from_kind,
                            std::string_view from_namespace, const ObjectRef& ref);

/// Returns the problem, if any, with a reference from a route to a backend. Reasons: InvalidKind,
/// RefNotPermitted, BackendNotFound, UnsupportedProtocol.
std::optional<ConditionError> backend_problem(const Objects& objects, RouteKind route,
                                              std::string_view from_namespace, const ObjectRef& ref);

}  // namespace fairway::gateway
