// SPDX-License-Identifier: Apache-2.0

// Credentials for the private channels of an update service, from a Secret.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "k8s/core.h"
#include "kube/client/client.h"

namespace fairway::operators {

/// The name of the Secret, in the operator's namespace.
inline constexpr const char* upstream_secret = "fairway-upstream";

/// Returns the value of Authorization for the service at this URL (a secret); empty if there is none for it.
using Authorization = std::function<std::string(const std::string& url, const std::stop_token& stop)>;

/// Returns the credentials of a Secret for the service at `service`: `token` (Bearer), or `username` and
/// `password` (Basic), if `url` has the same scheme, host and port; otherwise "". Write access to
/// spec.upstream alone must not redirect credentials. Errors (`invalid`, without the Secret's values): no
/// such `url`, neither of both or both, characters that no header can have.
Result<std::string> authorization_of(const k8s::Secret& secret, std::string_view service);

/// Returns a function that reads the Secret whenever it is called. If the Secret is absent, the result is
/// empty; if it cannot be read or is invalid, the result is empty too, and the log says so.
Authorization authorization_from(std::shared_ptr<kube::Client> client, k8s::Key secret);

}  // namespace fairway::operators
