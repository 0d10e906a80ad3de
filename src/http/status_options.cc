// SPDX-License-Identifier: Apache-2.0

#include "http/status_options.h"

namespace fairway::http {

ServerOptions status_server_options(const std::string& listen) {
  // Probes and scrapes need few connections; whoever reaches the port must not take all descriptors.
  return {.listen = listen, .io_threads = 1, .blocking_threads = 2, .max_connections = 128};
}

}  // namespace fairway::http
