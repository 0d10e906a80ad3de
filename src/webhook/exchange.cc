// SPDX-License-Identifier: Apache-2.0

#include "webhook/exchange.h"

#include <string>

#include "base/text.h"
#include "k8s/status.h"

namespace fairway::webhook {

http::Response status_response(int http_status, std::string_view message) {
  k8s::Status status = k8s::Status::failure(k8s::reason_of(http_status), message);
  status.set("code", http_status);
  return http::Response::json(http_status, status.to_text());
}

std::optional<http::Response> refuse_media_type(const http::Request& request) {
  const std::string_view value = request.header("Content-Type").value_or("");
  const std::string_view type = trim(value.substr(0, value.find(';')));
  if (equals_ignoring_case(type, "application/json")) return std::nullopt;
  return status_response(415, "Content-Type is '" + printable(value, 80) + "'; send application/json");
}

}  // namespace fairway::webhook
