// SPDX-License-Identifier: Apache-2.0

// The right to let a policy read parameters.
#pragma once

#include <optional>

#include "apiserver/internal/access/certificate_signers.h"
#include "apiserver/internal/access/user.h"
#include "apiserver/internal/resources/registry.h"
#include "apiserver/internal/storage/storage.h"
#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::admission {

/// Sources of `check_param_access`.
struct ParamAccess {
  storage::Storage& storage;
  const resources::ResourceRegistry& registry;
  access::Authorizer authorize;
};

/// Refuses a policy whose `paramKind` its writer may not `get` everywhere, and a binding whose `paramRef` the
/// writer may not `get` (by its name) or `list` (by a selector). The server reads parameters with its own
/// rights, and expressions can show them to anybody. The object is valid; `old` is null for a create. Members
/// of system:masters and writes of other kinds are not checked. std::nullopt: nothing is refused; otherwise
/// the cause of a 422, in kube-apiserver's words.
/// Rules: authz.go of k8s.io/kubernetes/pkg/registry/admissionregistration/*.
std::optional<k8s::FieldError> check_param_access(const ParamAccess& from, const access::User& user,
                                                  const k8s::Dynamic& object, const k8s::Dynamic* old);

}  // namespace fairway::apiserver::admission
