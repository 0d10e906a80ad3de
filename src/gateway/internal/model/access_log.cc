// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/access_log.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace fairway::gateway {

namespace {

/// Names of the fields, as users of Envoy know them.
constexpr auto all_fields = std::to_array<std::string_view>({
    "start_time",
    "method",
    "authority",
    "path",
    "protocol",
    "response_code",
    "response_flags",
    "response_code_details",
    "grpc_status",
    "bytes_received",
    "bytes_sent",
    "duration",
    "upstream_service_time",
    "upstream_cluster",
    "upstream_host",
    "upstream_transport_failure_reason",
    "downstream_local_address",
    "downstream_remote_address",
    "requested_server_name",
    "x_forwarded_for",
    "user_agent",
    "request_id",
    "traceparent",
});

Result<std::vector<std::string>> read_fields(const json::Value& value) {
  if (!value.is_array() || value.get_array().empty())
    return fail(ErrorCode::invalid, "spec.accessLog.fields must be a list of names of fields");
  std::vector<std::string> fields;
  for (const json::Value& one : value.get_array()) {
    const std::string name = one.is_string() ? std::string(one.get_string()) : json::to_text(one);
    if (!one.is_string() || std::ranges::find(all_fields, name) == all_fields.end())
      return fail(ErrorCode::invalid, "spec.accessLog.fields: there is no field " + printable(name) +
                                          "; there are " + join(access_log_fields(), ", "));
    if (std::ranges::find(fields, name) == fields.end()) fields.push_back(name);
  }
  return fields;
}

}  // namespace

std::vector<std::string> access_log_fields() {
  return {all_fields.begin(), all_fields.end()};
}

Result<AccessLog> read_access_log(const json::Value& value, LogFiles files) {
  AccessLog log{.path = {}, .fields = access_log_fields()};
  if (value.is_bool() && value.get_bool()) return log;
  if (!value.is_object())
    return fail(ErrorCode::invalid, "spec.accessLog must be true, false, or an object with path and fields");
  for (const auto& member : value.get_object()) {
    const std::string_view key(member.key());
    if (key == "path") {
      if (!member.value().is_string() || !member.value().get_string().starts_with('/'))
        return fail(ErrorCode::invalid, "spec.accessLog.path must be an absolute path");
      log.path = std::string(member.value().get_string());
    } else if (key == "fields") {
      auto fields = read_fields(member.value());
      if (!fields) return fail(fields.error());
      log.fields = *std::move(fields);
    } else {
      return fail(ErrorCode::invalid,
                  "spec.accessLog has the unknown key \"" + printable(key) + "\"; there are path and fields");
    }
  }
  if (log.path == "/dev/stdout") log.path.clear();
  if (!log.path.empty() && files == LogFiles::refused)
    return fail(ErrorCode::invalid,
                "spec.accessLog.path: only the parameters of a GatewayClass name a file; "
                "without a path the log goes to Envoy's standard output");
  return log;
}

}  // namespace fairway::gateway
