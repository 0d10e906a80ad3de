// SPDX-License-Identifier: Apache-2.0

// A URL as a user writes it, with or without credentials, and why what answers there is of no use.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/client.h"
#include "http/url.h"

namespace fairway::http {

struct Access {
  Url url = {};                    ///< without credentials and fragment
  std::string fragment = {};       ///< decoded
  std::string authorization = {};  ///< value of the Authorization header; "" where the URL has no credentials
};

/// Takes the credentials out of an http or https URL: they go to its own origin alone, and are never shown.
/// Errors (`invalid`): no URL, or another scheme.
Result<Access> read_access(std::string_view url);

/// Returns the error for a reply that is not 200 (or 304): it has the URL, the status and what to do, and
/// nothing of the body. Its code is `unauthenticated` for 401, `forbidden` for 403, `not_found` for 404 and
/// 410, else `unavailable`.
Error refused(const Call& call, const Reply& reply);

}  // namespace fairway::http
