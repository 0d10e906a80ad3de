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

/// Whom the headers of a request name, with nothing added; std::nullopt without any Impersonate header.
/// Errors (400): headers without the user's name; what a request could mean in two ways, or what is not
/// known, as ignoring it would leave the request with more rights than it asks for.
k8s::StatusResult<std::optional<User>> impersonated_user(std::span<const http::Field> fields);

using Authorize = std::function<Decision(const User& user, const Attributes& attributes)>;

struct Impersonated {
  User user;
  /// "impersonate:user-info"; empty where the verb "impersonate" allows it.
  std::string constraint;
};

/// The user that `requestor` may be in a request for `request`: `wanted` with the groups that follow from
/// it. The modes of Kubernetes 1.36 are tried one after the other: the constrained ones, which need
/// `impersonate-on:MODE:VERB` for the request too, and then the verb `impersonate`. Errors (403): that of the
/// first mode.
/// Rules: k8s.io/apiserver/pkg/endpoints/filters/impersonation.
k8s::StatusResult<Impersonated> impersonate(const User& requestor, const User& wanted,
                                            const Attributes& request, const Authorize& authorize);

}  // namespace fairway::apiserver::access
