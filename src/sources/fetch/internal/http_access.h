// What all sources that are asked over HTTP share: where they are, what opens them, and what their refusals
// mean.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/client.h"
#include "sources/source.h"

namespace fairway::sources {

struct HttpAccess {
  http::Url url;              ///< without credentials and fragment
  std::string fragment;       ///< decoded
  std::string authorization;  ///< value of the Authorization header; "" where the URL has no credentials
};

/// Takes the credentials out of an http or https URL. They are for its own origin alone, and never shown.
Result<HttpAccess> read_http_access(std::string_view url);

/// The value of an Authorization header for "user:password".
std::string basic_credentials(std::string_view userinfo);

/// A client that trusts --ca-file.
Result<std::unique_ptr<http::Client>> make_http_client(const Options& options);

/// Why a reply that is not 200 (or 304) is of no use: the URL, the status, what the other side says, what to
/// do.
Error refused(const http::Call& call, const http::Reply& reply);

}  // namespace fairway::sources
