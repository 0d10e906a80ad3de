// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/reply.h"

#include "apiserver/internal/rest/warnings.h"
#include "apiserver/internal/rest/yaml_answer.h"
#include "base/json.h"
#include "http/compress.h"
#include "http/negotiate.h"

namespace fairway::apiserver::rest {
namespace {

/// Smallest body that is compressed, as in kube-apiserver; it is compressed quickly.
constexpr std::size_t least_gzip_bytes = 128 << 10;
constexpr int gzip_level = 1;

}  // namespace

http::Response reply_json(const Call& call, int status, http::Bytes body) {
  http::Response response;
  response.status = status;
  if (call.pretty()) {
    if (const auto value = json::parse(*body)) body = http::make_bytes(json::to_pretty_text(*value));
  }
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  turn_to_yaml(call.http, response);
  body = std::move(response.body);
  if (body->size() >= least_gzip_bytes && http::accepts_gzip(call.http.headers_joined("Accept-Encoding"))) {
    body = http::make_bytes(http::gzip(*body, gzip_level));
    response.headers.add("Content-Encoding", "gzip");
    response.headers.add("Vary", "Accept-Encoding");
  }
  add_warnings(response, call.all_warnings());
  response.body = std::move(body);
  return response;
}

k8s::StatusResult<http::Response> reply_object(const Call& call, const storage::RecordPtr& record) {
  const auto form = negotiate_form(call);
  if (!form) return std::unexpected(form.error());
  auto body = (*form)->document(record);
  if (!body) return std::unexpected(body.error());
  return reply_json(call, 200, *std::move(body));
}

k8s::StatusResult<http::Response> reply_outcome(const Call& call, const objects::Outcome& outcome) {
  const auto form = negotiate_form(call);
  if (!form) return std::unexpected(form.error());
  http::Bytes text = outcome.text;
  if (!(*form)->is_plain()) {
    if (auto value = json::parse(*text); value && value->is_object()) {
      k8s::Dynamic object(std::move(value->get_object()));
      if (object.kind() != "Status") text = (*form)->document(std::move(object));
    }
  }
  return reply_json(call, outcome.created ? 201 : 200, std::move(text));
}

http::Response reply_status(const k8s::Status& status) {
  http::Response response = http::Response::json(status.code() != 0 ? status.code() : 200, status.to_text());
  response.headers.add("Cache-Control", "no-cache, private");
  if (const auto wait = status.retry_after()) {
    response.headers.add("Retry-After", std::to_string(wait->count()));
  }
  return response;
}

}  // namespace fairway::apiserver::rest
