// SPDX-License-Identifier: Apache-2.0

// Access logs, as GatewayParameters ask for them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::gateway {

/// An access log: a line of JSON for each request, and for each connection of TLS and TCP routes.
struct AccessLog {
  /// The file that it is written to; empty: Envoy's standard output.
  std::string path;
  /// Names of `access_log_fields`, each once.
  std::vector<std::string> fields;
  bool operator==(const AccessLog&) const = default;
};

/// Rule for the path of an access log. A Gateway's own parameters are written by its namespace's users, who
/// must not make Envoy write into files.
enum class LogFiles { allowed, refused };

/// Reads `spec.accessLog` of GatewayParameters: true, or `{path, fields}`. Do not call it for false, which
/// asks for no log.
Result<AccessLog> read_access_log(const json::Value& value, LogFiles files);

/// Returns the names of all fields, in the order of a line.
std::vector<std::string> access_log_fields();

}  // namespace fairway::gateway
