// Access logs, as GatewayParameters ask for them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::gateway {

/// An access log: a line of JSON for each request, and for each connection of TLS and TCP routes.
struct AccessLog {
  /// Empty: Envoy's standard output.
  std::string path;
  /// Names of `access_log_fields`, each once.
  std::vector<std::string> fields;
  bool operator==(const AccessLog&) const = default;
};

/// Whether a path may be named: those of a Gateway's own parameters are written by its namespace's users, who
/// must not have Envoy write into files.
enum class LogFiles { allowed, refused };

/// Reads `spec.accessLog` of GatewayParameters: true, or `{path, fields}`. false is none, and not to be
/// asked.
Result<AccessLog> read_access_log(const json::Value& value, LogFiles files);

/// The names of the fields that there are, in the order of a line.
std::vector<std::string> access_log_fields();

}  // namespace fairway::gateway
