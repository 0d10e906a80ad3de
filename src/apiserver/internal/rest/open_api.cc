// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/open_api.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/rest/open_api_form.h"
#include "base/http_date.h"
#include "http/compress.h"
#include "http/negotiate.h"
#include "k8s/wire/query.h"
#include "k8s/wire/resource_path.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

using openapi::Dialect;

constexpr std::string_view v2_path = "/openapi/v2", v3_path = "/openapi/v3";
constexpr std::string_view not_cached = "no-cache, private";
constexpr int gzip_level = 1;
/// Time that a document under its hash may be cached.
constexpr std::chrono::years cached_for{1};

/// Returns whether the client has the document already: by its hash, or else by its time.
bool is_current(const http::Request& request, const openapi::Document& document, std::string_view etag) {
  if (const auto hashes = request.header("If-None-Match")) return http::etag_matches(*hashes, etag);
  const auto time = parse_http_date(request.header("If-Modified-Since").value_or(""));
  return time && std::chrono::floor<std::chrono::seconds>(document.made()) <= *time;
}

/// Replies with the form that the client prefers. `headers` say for how long it may be cached.
k8s::StatusResult<http::Response> reply(const http::Request& request, Dialect dialect,
                                        const openapi::Document& document, OpenApiForm form,
                                        http::Headers headers) {
  http::Response response;
  response.headers = std::move(headers);
  const std::string etag = '"' + document.hash() + '"';
  response.headers.add("ETag", etag);
  if (is_current(request, document, etag)) {
    response.status = 304;
    return response;
  }
  response.body = document.json();
  if (form == OpenApiForm::protobuf) {
    auto bytes = document.protobuf();
    if (!bytes) return std::unexpected(k8s::answer::internal_error(bytes.error().message));
    response.body = *std::move(bytes);
  }
  response.headers.add("Content-Type", std::string(media_type_of(form, dialect)));
  response.headers.add("Last-Modified", format_http_date(document.made()));
  // kube-apiserver compresses version 2 only.
  if (dialect == Dialect::v2 && http::accepts_gzip(request.headers_joined("Accept-Encoding"))) {
    response.body = http::make_bytes(http::gzip(*response.body, gzip_level));
    response.headers.add("Content-Encoding", "gzip");
  }
  return response;
}

/// Returns the answer to a client that takes none of the forms: no body says so in any of them.
http::Response not_acceptable(http::Headers headers) {
  http::Response response;
  response.status = 406;
  response.headers = std::move(headers);
  return response;
}

k8s::StatusResult<http::Response> of_everything(openapi::Documents& documents, const http::Request& request) {
  http::Headers headers{{"Vary", "Accept-Encoding"}, {"Vary", "Accept"}};
  headers.add("Cache-Control", std::string(not_cached));
  const auto form = choose_open_api_form(request.header("Accept").value_or(""), Dialect::v2);
  if (!form) return not_acceptable(std::move(headers));
  return reply(request, Dialect::v2, *documents.all(), *form, std::move(headers));
}

k8s::StatusResult<http::Response> of_group_version(openapi::Documents& documents,
                                                   const http::Request& request, const Clock& clock) {
  // The rest is the path of the group version itself.
  const std::string below(request.path.substr(v3_path.size()));
  const auto path = k8s::ApiPath::parse(below);
  if (!path || path->kind != k8s::ApiPath::Kind::group_version) {
    return std::unexpected(k8s::answer::no_such_path());
  }
  const auto& resource = path->resource.resource;
  const openapi::DocumentPtr document = documents.find({resource.group, resource.version});
  if (document == nullptr) return std::unexpected(k8s::answer::no_such_path());
  const auto query = k8s::Query::parse(request.query);
  if (!query) return std::unexpected(query.error());
  http::Headers headers{{"Vary", "Accept"}, {"Cache-Control", std::string(not_cached)}};
  const auto form = choose_open_api_form(request.header("Accept").value_or(""), Dialect::v3);
  if (!form) return not_acceptable(std::move(headers));
  const std::string asked(query->find("hash").value_or(""));
  if (!asked.empty() && asked != document->hash()) {
    http::Response response;
    response.status = 301;
    response.headers = std::move(headers);
    response.headers.add("Location", std::string(request.path) + "?hash=" + document->hash());
    return response;
  }
  if (!asked.empty()) {
    headers.set("Cache-Control", "public, immutable");
    headers.add("Expires", format_http_date(clock.now() + cached_for));
  }
  return reply(request, Dialect::v3, *document, *form, std::move(headers));
}

/// Replies with the index, which there is in JSON only, whatever the client prefers.
http::Response of_index(openapi::Documents& documents, const Clock& clock) {
  http::Response response;
  // kube-apiserver leaves the type to be guessed, and so it is.
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("Cache-Control", std::string(not_cached));
  response.headers.add("Last-Modified", format_http_date(clock.now()));
  response.body = documents.index();
  return response;
}

}  // namespace

k8s::StatusResult<http::Response> answer_open_api(openapi::Documents& documents, const http::Request& request,
                                                  const Clock& clock) {
  const std::string_view path = request.path;
  const bool is_index = path == v3_path || path == std::string(v3_path) + "/";
  if (!is_index && path != v2_path && !path.starts_with("/openapi/v3/")) {
    return std::unexpected(k8s::answer::no_such_path());
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return std::unexpected(k8s::answer::method_not_allowed({}, request.method));
  }
  if (is_index) return of_index(documents, clock);
  if (path == v2_path) return of_everything(documents, request);
  return of_group_version(documents, request, clock);
}

}  // namespace fairway::apiserver::rest
