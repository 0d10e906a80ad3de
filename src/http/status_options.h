// SPDX-License-Identifier: Apache-2.0

// The server of a status port: health and metrics, beside what a process is there for.
#pragma once

#include <string>

#include "http/server.h"

namespace fairway::http {

/// The options of a server for the probes and scrapes of one process. `listen`: as `ServerOptions::listen`.
ServerOptions status_server_options(const std::string& listen);

}  // namespace fairway::http
