// Nobody gives rights that they do not hold.
#pragma once

#include <string>

#include "apiserver/access/internal/policy.h"
#include "apiserver/access/internal/user.h"
#include "k8s/object.h"

namespace fairway::apiserver::access {

/// Why `user` may not write this role or binding: it grants what they do not hold, and they may neither
/// `escalate` the role nor `bind` it. Empty: they may, or the object is of another kind. `old` is null for a
/// create; what an update leaves as it is was judged before.
/// Rules: k8s.io/kubernetes/pkg/registry/rbac.
std::string grant_error(const Policy& policy, const User& user, const k8s::Dynamic& object,
                        const k8s::Dynamic* old);

}  // namespace fairway::apiserver::access
