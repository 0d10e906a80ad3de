// SPDX-License-Identifier: Apache-2.0

// The hosts that may issue a registry's tokens: they receive its password or refresh token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/url.h"

namespace fairway::oci {

/// Returns the domain under which one owner registers names, by Mozilla's Public Suffix List: "docker.io" of
/// "auth.docker.io", "example.co.uk" of "r.example.co.uk". "" for IP addresses, single labels, public
/// suffixes, and names below a suffix that the list does not have ("cluster.local": its names belong to
/// many).
std::string registrable_domain(const std::string& host);

/// Returns whether the token server `realm`, which the registry at `registry` itself has named, may receive
/// the registry's credentials: it is on the registry's host; or on one of `allowed` ("HOST" or "HOST:PORT");
/// or it is reached by https and has the registry's registrable domain. Whether plain HTTP is allowed at all
/// is decided elsewhere.
bool may_receive_credentials(const http::Url& registry, const http::Url& realm,
                             const std::vector<std::string>& allowed);

/// Checks that `text` is "HOST" or "HOST:PORT"; otherwise an error (`invalid`).
Result<void> check_token_host(std::string_view text);

}  // namespace fairway::oci
