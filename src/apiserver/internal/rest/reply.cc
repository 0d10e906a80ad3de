// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/reply.h"

#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/internal/rest/accepted_answer.h"
#include "apiserver/internal/rest/warnings.h"
#include "base/json.h"
#include "http/compress.h"
#include "http/negotiate.h"

namespace fairway::apiserver::rest {
namespace {

/// Smallest body that is compressed, as in kube-apiserver; it is compressed quickly.
constexpr std::size_t least_gzip_bytes = 128 << 10;
constexpr int gzip_level = 1;

http::Response made(int status, std::string_view type, http::Bytes body) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", std::string(type));
  response.headers.add("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

/// Compresses a response, if that is worth it, and adds the warnings of the call.
http::Response finished(const Call& call, http::Response response) {
  if (response.body->size() >= least_gzip_bytes &&
      http::accepts_gzip(call.http.headers_joined("Accept-Encoding"))) {
    response.body = http::make_bytes(http::gzip(*response.body, gzip_level));
    response.headers.add("Content-Encoding", "gzip");
    response.headers.add("Vary", "Accept-Encoding");
  }
  add_warnings(response, call.all_warnings());
  return response;
}

}  // namespace

http::Response reply_json(const Call& call, int status, http::Bytes body) {
  if (call.pretty()) {
    if (const auto value = json::parse(*body)) body = http::make_bytes(json::to_pretty_text(*value));
  }
  http::Response response = made(status, "application/json", std::move(body));
  turn_to_accepted(call.http, response, call.may_be_protobuf() ? ProtobufOf::objects : ProtobufOf::metadata);
  return finished(call, std::move(response));
}

http::Response reply_in_form(const Call& call, const watch::ObjectForm& form, http::Bytes body) {
  if (form.encoding() == watch::Encoding::json) return reply_json(call, 200, std::move(body));
  return finished(call, made(200, protobuf::media_type, std::move(body)));
}

k8s::StatusResult<http::Response> reply_object(const Call& call, const storage::RecordPtr& record) {
  const auto form = negotiate_form(call);
  if (!form) return std::unexpected(form.error());
  auto body = (*form)->document(record);
  if (!body) return std::unexpected(body.error());
  return reply_in_form(call, **form, *std::move(body));
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
