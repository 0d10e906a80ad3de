// SPDX-License-Identifier: Apache-2.0

// Requests in the name of somebody else: the headers Impersonate-User, -Uid, -Group and -Extra-KEY.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "apiserver/internal/access/attributes.h"
#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/user.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::access {

/// Returns the user that the headers of a request name, with nothing added; std::nullopt without any
/// Impersonate header. Errors (400): headers without the user's name, repeated ones that allow one value,
/// text that is not UTF-8, and unknown Impersonate headers. Ignoring an unknown one would leave the request
/// with more rights than it asks for.
k8s::StatusResult<std::optional<User>> impersonated_user(std::span<const http::Field> fields);

using Authorize = std::function<Decision(const User& user, const Attributes& attributes)>;

struct Impersonated {
  User user;
  /// The verb of the constrained mode: "impersonate:user-info". Empty where the verb "impersonate" allows it.
  std::string constraint;
};

/// Returns the user as which `requestor` may send `request`: `wanted` with the groups that follow from its
/// name. The modes of Kubernetes 1.37 are tried one after the other: first the constrained ones, which also
/// need `impersonate-on:MODE:VERB` for the request, and then the verb `impersonate`. Errors (403): that of
/// the first mode.
/// Rules: k8s.io/apiserver/pkg/endpoints/filters/impersonation.
k8s::StatusResult<Impersonated> impersonate(const User& requestor, const User& wanted,
                                            const Attributes& request, const Authorize& authorize);

}  // namespace fairway::apiserver::access
