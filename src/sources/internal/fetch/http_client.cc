// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/http_client.h"

namespace fairway::sources {

Result<std::unique_ptr<http::Client>> make_http_client(const Options& options) {
  http::ClientOptions client;
  client.ca_files = options.access.ca_files;
  client.clock = options.clock;
  return http::Client::create(client);
}

}  // namespace fairway::sources
