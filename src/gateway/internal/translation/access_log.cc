#include "gateway/internal/translation/access_log.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "gateway/internal/translation/envoy_json.h"

namespace fairway::gateway {

namespace {

struct Field {
  std::string_view name, command;
};

/// As Envoy's users know them. Only commands of this table are given to Envoy: it refuses the listeners of a
/// port for one that it does not know.
constexpr auto all_fields = std::to_array<Field>({
    {"start_time", "%START_TIME%"},
    {"method", "%REQ(:METHOD)%"},
    {"authority", "%REQ(:AUTHORITY)%"},
    {"path", "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%"},
    {"protocol", "%PROTOCOL%"},
    {"response_code", "%RESPONSE_CODE%"},
    {"response_flags", "%RESPONSE_FLAGS%"},
    {"response_code_details", "%RESPONSE_CODE_DETAILS%"},
    {"grpc_status", "%GRPC_STATUS%"},
    {"bytes_received", "%BYTES_RECEIVED%"},
    {"bytes_sent", "%BYTES_SENT%"},
    {"duration", "%DURATION%"},
    {"upstream_service_time", "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%"},
    {"upstream_cluster", "%UPSTREAM_CLUSTER%"},
    {"upstream_host", "%UPSTREAM_HOST%"},
    {"upstream_transport_failure_reason", "%UPSTREAM_TRANSPORT_FAILURE_REASON%"},
    {"downstream_local_address", "%DOWNSTREAM_LOCAL_ADDRESS%"},
    {"downstream_remote_address", "%DOWNSTREAM_REMOTE_ADDRESS%"},
    {"requested_server_name", "%REQUESTED_SERVER_NAME%"},
    {"x_forwarded_for", "%REQ(X-FORWARDED-FOR)%"},
    {"user_agent", "%REQ(USER-AGENT)%"},
    {"request_id", "%REQ(X-REQUEST-ID)%"},
    {"traceparent", "%REQ(TRACEPARENT)%"},
});

Result<std::vector<std::string>> read_fields(const json::Value& value) {
  if (!value.is_array() || value.get_array().empty())
    return fail(ErrorCode::invalid, "spec.accessLog.fields must be a list of names of fields");
  std::vector<std::string> fields;
  for (const json::Value& one : value.get_array()) {
    const std::string name = one.is_string() ? std::string(one.get_string()) : json::to_text(one);
    if (!one.is_string() || std::ranges::find(all_fields, name, &Field::name) == all_fields.end())
      return fail(ErrorCode::invalid, "spec.accessLog.fields: there is no field " + printable(name) +
                                          "; there are " + join(access_log_fields(), ", "));
    if (std::ranges::find(fields, name) == fields.end()) fields.push_back(name);
  }
  return fields;
}

}  // namespace

std::vector<std::string> access_log_fields() {
  std::vector<std::string> names;
  for (const Field& field : all_fields) names.emplace_back(field.name);
  return names;
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

json::Array envoy_access_log(const AccessLog& log) {
  json::Object fields;
  for (const std::string& name : log.fields) {
    const auto* const found = std::ranges::find(all_fields, name, &Field::name);
    fields[name] = found->command;
  }
  json::Object settings{{"log_format", json::Object{{"json_format", std::move(fields)}}}};
  if (log.path.empty()) {
    json::Array to_output;
    to_output.push_back(extension("envoy.access_loggers.stdout",
                                  "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog",
                                  std::move(settings)));
    return to_output;
  }
  settings["path"] = log.path;
  json::Array to_file;
  to_file.push_back(extension("envoy.access_loggers.file",
                              "envoy.extensions.access_loggers.file.v3.FileAccessLog", std::move(settings)));
  return to_file;
}

}  // namespace fairway::gateway
