// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_headers.h"

#include <string>

#include "base/address_range.h"
#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/translation/envoy_json.h"

namespace fairway::gateway {

namespace {

constexpr std::string_view filter_type = "envoy.extensions.filters.http.header_mutation.v3.HeaderMutation";

/// Returns a mutation that writes a header, in place of one that is there.
json::Object written(std::string_view name, std::string_view value,
                     std::string_view action = "OVERWRITE_IF_EXISTS_OR_ADD") {
  return {{"append", json::Object{{"header", json::Object{{"key", name}, {"value", value}}},
                                  {"append_action", action}}}};
}

json::Object removed(std::string_view name) {
  return {{"remove", name}};
}

}  // namespace

void add_header_settings(std::string_view address, json::Object& manager) {
  manager["server_header_transformation"] = "PASS_THROUGH";
  manager["strip_trailing_host_dot"] = true;
  json::Object versions{{"accept_http_10", true}};
  // Envoy has no listener's address at this point, and refuses such requests if it has no name for them.
  if (address_bytes(address)) {
    const bool is_six = address.find(':') != std::string_view::npos;
    versions["default_host_for_http_10"] = is_six ? "[" + std::string(address) + "]" : std::string(address);
  }
  manager["http_protocol_options"] = std::move(versions);
}

json::Object header_filter() {
  const json::Object of_envoy{
      {"remove_on_match", json::Object{{"key_matcher", json::Object{{"prefix", "x-envoy-"}}}}}};
  return extension(header_filter_name, filter_type,
                   {{"mutations", json::Object{{"request_mutations", json::Array{of_envoy}}}}});
}

json::Object origin_varies() {
  return any(
      "envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
      {{"mutations", json::Object{{"response_mutations",
                                   json::Array{written("vary", "Origin", "APPEND_IF_EXISTS_OR_ADD")}}}}});
}

void keep_headers_of_mirrored(json::Object& policy) {
  policy["disable_shadow_host_suffix_append"] = true;
  // Envoy appends its own address to the copy's header.
  policy["request_headers_mutations"] = json::Array{written(mirrored_header, "%REQ(X-FORWARDED-FOR)%")};
}

json::Array filters_of_mirrored() {
  json::Array mutations{written("x-forwarded-for", "%REQ(" + std::string(mirrored_header) + ")%"),
                        removed(mirrored_header), removed("x-envoy-internal"),
                        removed("x-envoy-expected-rq-timeout-ms")};
  return {extension(header_filter_name, filter_type,
                    {{"mutations", json::Object{{"request_mutations", std::move(mutations)}}}}),
          extension("envoy.filters.http.upstream_codec",
                    "envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec")};
}

}  // namespace fairway::gateway
