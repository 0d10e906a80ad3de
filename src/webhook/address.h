// SPDX-License-Identifier: Apache-2.0

// The address of a webhook for API servers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/view.h"

namespace fairway::webhook {

/// A Service, or a URL if `service_name` is empty.
struct Address {
  std::string service_namespace = {}, service_name = {};
  std::string path = "/convert";
  std::int64_t port = 443;
  /// "https://HOST:PORT/PATH".
  std::string url = {};

  /// Returns the address of the same server with another path; a URL must be that of the server itself:
  /// "https://HOST:PORT".
  Address at(std::string_view path) const;
  /// The names that an API server expects in the server's certificate. Errors: neither a Service nor a URL,
  /// or one that is not https.
  Result<std::vector<std::string>> names() const;
  /// Writes `service` or `url` into a `clientConfig`.
  void write(k8s::Editor& client_config) const;
  /// "Service ns/name, port 443" or the URL.
  std::string to_string() const;
};

}  // namespace fairway::webhook
