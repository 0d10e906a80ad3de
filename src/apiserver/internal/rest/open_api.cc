// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/open_api.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "http/compress.h"
#include "http/negotiate.h"
#include "k8s/wire/query.h"
#include "k8s/wire/resource_path.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::string_view v2_path = "/openapi/v2", v3_path = "/openapi/v3";
constexpr std::array<std::string_view, 1> media_types{"application/json"};
constexpr std::size_t least_gzip_bytes = 16 << 10;
constexpr int gzip_level = 1;

http::Response reply(const http::Request& request, const http::Bytes& text) {
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Vary", "Accept, Accept-Encoding");
  response.body = text;
  if (text->size() >= least_gzip_bytes && http::accepts_gzip(request.headers_joined("Accept-Encoding"))) {
    response.body = http::make_bytes(http::gzip(*text, gzip_level));
    response.headers.add("Content-Encoding", "gzip");
  }
  return response;
}

http::Response reply(const http::Request& request, const openapi::Document& document) {
  const std::string etag = '"' + document.hash + '"';
  if (http::etag_matches(request.header("If-None-Match").value_or(""), etag)) {
    http::Response response;
    response.status = 304;
    response.headers.add("ETag", etag);
    return response;
  }
  http::Response response = reply(request, document.text);
  response.headers.add("ETag", etag);
  return response;
}

k8s::StatusResult<http::Response> of_group_version(openapi::Documents& documents,
                                                   const http::Request& request) {
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
  const auto asked = query->find("hash");
  if (!asked) return reply(request, *document);
  if (*asked != document->hash) {
    http::Response response;
    response.status = 301;
    response.headers.add("Location", std::string(request.path) + "?hash=" + document->hash);
    return response;
  }
  http::Response response = reply(request, *document);
  response.headers.add("Cache-Control", "public, immutable, max-age=31536000");
  return response;
}

}  // namespace

k8s::StatusResult<http::Response> answer_open_api(openapi::Documents& documents,
                                                  const http::Request& request) {
  const std::string_view path = request.path;
  const bool is_index = path == v3_path || path == std::string(v3_path) + "/";
  if (!is_index && path != v2_path && !path.starts_with("/openapi/v3/")) {
    return std::unexpected(k8s::answer::no_such_path());
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return std::unexpected(k8s::answer::method_not_allowed({}, request.method));
  }
  const std::string accept = request.headers_joined("Accept");
  if (!http::choose_media_type(accept.empty() ? std::nullopt : std::optional<std::string_view>(accept),
                               media_types)) {
    return std::unexpected(k8s::answer::not_acceptable({media_types.begin(), media_types.end()}));
  }
  if (is_index) return reply(request, documents.index());
  if (path == v2_path) return reply(request, *documents.all());
  return of_group_version(documents, request);
}

}  // namespace fairway::apiserver::rest
