// SPDX-License-Identifier: Apache-2.0

#include "upstream/update_service.h"

#include <utility>

#include "base/redact.h"
#include "base/text.h"
#include "http/compress.h"

namespace fairway::upstream {

namespace {

constexpr std::string_view graph_end = "/graph", version_end = "/v1", channels_end = "/channels",
                           service_path = "/api/upgrades_info";

/// Sets a parameter unless it has that value already. The last value of a key counts, as today's service
/// reads its queries.
void set_parameter(http::Url& url, const std::string& key, const std::string& value) {
  std::optional<std::string> known;
  for (auto& [name, text] : http::parse_query(url.query)) {
    if (name == key) known = std::move(text);
  }
  if (known == value) return;
  if (!url.query.empty()) url.query += '&';
  url.query += http::percent_encode(key) + "=" + http::percent_encode(value);
}

Result<std::string> decoded(http::Reply& reply, const std::string& source, std::size_t limit) {
  const std::string_view encoding = reply.headers.find("Content-Encoding").value_or("identity");
  if (equals_ignoring_case(encoding, "identity")) return std::move(reply.body);
  if (!equals_ignoring_case(encoding, "gzip")) {
    return fail(ErrorCode::unsupported, "reading " + source + ": the answer is encoded as " +
                                            printable(encoding) + ", which was not asked for");
  }
  auto text = http::gunzip(reply.body, limit);
  if (!text) return fail(text.error().within("reading " + source));
  return text;
}

}  // namespace

UpdateService::UpdateService(http::Access access, Options options, std::unique_ptr<http::Client> client)
    : access_(std::move(access)), options_(std::move(options)), client_(std::move(client)) {}

Result<UpdateService> UpdateService::create(std::string_view graph_url, const Options& options) {
  auto access = http::read_access(graph_url);
  if (!access) return fail(access.error());
  http::ClientOptions client_options;
  client_options.ca_files = options.ca_files;
  client_options.clock = options.clock;
  client_options.user_agent = options.user_agent;
  auto client = http::Client::create(client_options);
  if (!client) return fail(client.error());
  return UpdateService(std::move(*access), options, std::move(*client));
}

http::Url UpdateService::graph_url(const GraphQuery& query) const {
  http::Url url = access_.url;
  if (!query.arch.empty()) set_parameter(url, "arch", query.arch);
  set_parameter(url, "channel", query.channel);
  for (const auto& [key, value] : query.others) set_parameter(url, key, value);
  return url;
}

std::string UpdateService::name(const GraphQuery& query) const {
  return redact_urls(graph_url(query).to_string());
}

Result<std::optional<Body>> UpdateService::fetch_graph(const GraphQuery& query, std::string_view etag,
                                                       const std::stop_token& stop) const {
  return fetch(graph_url(query), options_.graph_types, etag, stop);
}

Result<std::optional<Body>> UpdateService::fetch_channels(std::string_view etag,
                                                          const std::stop_token& stop) const {
  http::Url url = access_.url;
  if (!url.path.ends_with(graph_end)) {
    return fail(ErrorCode::invalid, "asking for the channels of " + redact_urls(url.to_string()) +
                                        ": they lie beside the graph, at a path that ends in " +
                                        std::string(graph_end) + ", and this one does not");
  }
  url.path.resize(url.path.size() - graph_end.size());
  if (url.path.ends_with(version_end)) url.path.resize(url.path.size() - version_end.size());
  url.path += channels_end;
  // Parameters that narrow a graph do not apply to the list.
  url.query.clear();
  return fetch(url, options_.channel_types, etag, stop);
}

http::Call UpdateService::call_of(const http::Url& url, std::string_view accept, std::string_view etag,
                                  const std::stop_token& stop) const {
  http::Call call;
  call.url = url;
  call.headers = {{"Accept", std::string(accept)}, {"Accept-Encoding", "gzip"}};
  const std::string& authorization =
      access_.authorization.empty() ? options_.authorization : access_.authorization;
  if (!authorization.empty()) call.headers.set("Authorization", authorization);
  if (!etag.empty()) call.headers.set("If-None-Match", std::string(etag));
  call.limits = Limits::within(*options_.clock, options_.deadline, stop);
  call.max_body_bytes = options_.max_body_bytes;
  call.max_redirects = 5;
  return call;
}

Result<Body> UpdateService::body_of(const http::Url& url, http::Reply& reply) const {
  Body body{.source = redact_urls(url.to_string()),
            .text = {},
            .etag = std::string(reply.headers.find("ETag").value_or(""))};
  auto text = decoded(reply, body.source, options_.max_body_bytes);
  if (!text) return fail(text.error());
  body.text = std::move(*text);
  return body;
}

Result<std::optional<Body>> UpdateService::fetch(const http::Url& url, std::string_view accept,
                                                 std::string_view etag, const std::stop_token& stop) const {
  const http::Call call = call_of(url, accept, etag, stop);
  auto reply = client_->send(call);
  if (!reply) return fail(reply.error());
  if (reply->status == 304 && !etag.empty()) return std::nullopt;
  if (reply->status != 200) return fail(http::refused(call, *reply));
  return body_of(url, *reply);
}

Result<ServiceReply> UpdateService::ask(const http::Url& url, std::string_view accept, std::string_view etag,
                                        const std::stop_token& stop) const {
  auto reply = client_->send(call_of(url, accept, etag, stop));
  if (!reply) return fail(reply.error());
  ServiceReply answer{.status = reply->status,
                      .phrase = std::move(reply->phrase),
                      .body = {.source = redact_urls(url.to_string())}};
  if (reply->status != 200) return answer;
  auto body = body_of(url, *reply);
  if (!body) return fail(body.error());
  answer.body = *std::move(body);
  return answer;
}

Result<ServiceReply> UpdateService::ask_graph(const GraphQuery& query, std::string_view etag,
                                              const std::stop_token& stop) const {
  return ask(graph_url(query), options_.graph_types, etag, stop);
}

Result<ServiceReply> UpdateService::ask_channels(std::string_view etag, const std::stop_token& stop) const {
  http::Url url = access_.url;
  const std::size_t at = url.path.find(service_path);
  const std::size_t end = at == std::string::npos ? at : at + service_path.size();
  if (end != std::string::npos && (end == url.path.size() || url.path[end] == '/')) {
    url.path.resize(end);
  } else {
    url.path.resize(url.path.rfind('/'));
  }
  url.path += channels_end;
  url.query.clear();
  return ask(url, options_.channel_types, etag, stop);
}

}  // namespace fairway::upstream
