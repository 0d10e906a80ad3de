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

/// The value of Authorization for the service at this URL (a secret); empty where there is none for it.
using Authorization = std::function<std::string(const std::string& url, const std::stop_token& stop)>;

/// What a Secret has for the service at `service`: `token` (Bearer), or `username` and `password` (Basic), if
/// `url` has the same scheme, host and port; otherwise nothing. Write access to spec.upstream
/// alone must not redirect credentials. Errors (`invalid`, without what is in it): no such `url`, neither of
/// both or both, characters that no header can have.
Result<std::string> authorization_of(const k8s::Secret& secret, std::string_view service);

/// Reads the Secret whenever it is called. One that is absent means nothing; one that cannot be read, or is
/// not as it should be, means nothing and a line in the log.
Authorization authorization_from(std::shared_ptr<kube::Client> client, k8s::Key secret);

}  // namespace fairway::operators
