// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_access_log.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gateway/internal/translation/envoy_json.h"

namespace fairway::gateway {

namespace {

struct Field {
  std::string_view name, command;
};

/// The fields and their commands. Envoy is given only commands of this table: it refuses the listeners of a
/// port for a command that it does not know.
constexpr auto all_fields = std::to_array<Field>({
    {"start_time", "%START_TIME%"},
    {"method", "%REQ(:METHOD)%"},
    {"authority", "%REQ(:AUTHORITY)%"},
    {"path", R"(%COALESCE({"operators":[{"command":"FILTER_STATE","param":"fairway.path:PLAIN"},)"
             R"({"command":"REQ","param":":PATH"}]})%)"},
    {"protocol", "%PROTOCOL%"},
    {"response_code", "%RESPONSE_CODE%"},
    {"response_flags", "%RESPONSE_FLAGS%"},
    {"response_code_details", "%RESPONSE_CODE_DETAILS%"},
    {"grpc_status", "%GRPC_STATUS%"},
    {"bytes_received", "%BYTES_RECEIVED%"},
    {"bytes_sent", "%BYTES_SENT%"},
    {"duration", "%DURATION%"},
    {"upstream_service_time", "%COMMON_DURATION(US_TX_END:US_RX_BEG:ms)%"},
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

}  // namespace

json::Object asked_path_filter() {
  return extension(
      "envoy.filters.http.set_filter_state", "envoy.extensions.filters.http.set_filter_state.v3.Config",
      {{"on_request_headers",
        json::Array{json::Object{
            {"object_key", "fairway.path"},
            {"factory_key", "envoy.string"},
            {"format_string",
             json::Object{{"text_format_source", json::Object{{"inline_string", "%REQ(:PATH)%"}}}}}}}}});
}

json::Array envoy_access_log(const AccessLog& log) {
  json::Object fields;
  for (const std::string& name : log.fields) {
    const auto* const found = std::ranges::find(all_fields, name, &Field::name);
    // A test holds both tables against each other.
    if (found != all_fields.end()) fields[name] = found->command;
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
