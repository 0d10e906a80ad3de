// SPDX-License-Identifier: Apache-2.0

// Answers that were made beforehand: these run on the I/O threads and never wait.
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "http/negotiate.h"
#include "updateservice/internal/api/api_call.h"

namespace fairway::updateservice {
namespace {

constexpr std::array<std::string_view, 2> graph_media_types{"application/json", graph_vendor_type_name};
constexpr std::array<std::string_view, 2> channels_media_types{"application/json", channels_vendor_type_name};
constexpr std::array<std::string_view, 1> json_media_types{"application/json"};

const Refusal not_acceptable{406, "invalid_content_type", "invalid Content-Type requested"};

const Refusal unacceptable_coding{406, "invalid_content_type", "no acceptable content coding is offered"};

Refusal missing(std::string_view key) {
  return {400, "missing_params", "mandatory client parameters missing: " + std::string(key)};
}

Refusal invalid(std::string_view key, std::string_view value, std::string_view pattern) {
  return {400, "invalid_params",
          "invalid client parameters: " + std::string(key) + " '" + printable(value) +
              "' does not match regex '" + std::string(pattern) + "'"};
}

bool is_version_text(std::string_view text) {
  constexpr std::string_view allowed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-";
  return !text.empty() && text.size() <= 256 && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// Returns the version that is meant by "4.7.4 amd64", the decoded form of `4.7.4+amd64` in a query (where +
/// is a blank), if the architecture is the requested one.
std::string_view version_in_query(std::string_view text, std::string_view arch) {
  const auto at = text.find(' ');
  return at != std::string_view::npos && text.substr(at + 1) == arch ? text.substr(0, at) : text;
}

bool absent(const std::optional<std::string_view>& header) {
  return !header || trim(*header).empty();
}

}  // namespace

std::string error_body(std::string_view kind, std::string_view value) {
  std::string body = R"({"kind":)";
  json::append_quoted(body, kind);
  body += R"(,"value":)";
  json::append_quoted(body, value);
  body += '}';
  return body;
}

Parameter<std::string_view> Api::Call::required(std::string_view key) const {
  const auto value = query.find(key);
  if (!value) return std::unexpected(missing(key));
  return *value;
}

Parameter<std::string_view> Api::Call::channel() const {
  auto value = required("channel");
  if (value && !is_channel_name(*value)) return std::unexpected(invalid("channel", *value, channel_pattern));
  return value;
}

Parameter<std::string_view> Api::Call::arch() const {
  const std::string_view value = query.find("arch").value_or(default_arch);
  if (!is_arch_name(value)) return std::unexpected(invalid("arch", value, arch_pattern));
  return value;
}

Parameter<std::string_view> Api::Call::version(std::string_view key, std::string_view arch) const {
  auto value = required(key);
  if (!value) return value;
  const auto meant = version_in_query(*value, arch);
  if (!is_version_text(meant)) return std::unexpected(invalid(key, *value, R"(^[0-9A-Za-z\.\+\-]{1,256}$)"));
  return meant;
}

Parameter<AskedUpdate> Api::Call::update() const {
  const auto its_arch = arch();
  if (!its_arch) return std::unexpected(its_arch.error());
  const auto from = version("from", *its_arch);
  if (!from) return std::unexpected(from.error());
  const auto to = version("to", *its_arch);
  if (!to) return std::unexpected(to.error());
  return AskedUpdate{*its_arch, *from, *to};
}

http::Response Api::Answers::refuse(const Api& api, const Refusal& refusal) {
  http::Response response = http::Response::json(refusal.status, error_body(refusal.kind, refusal.value));
  response.headers.add("Cache-Control", "no-store");
  if (refusal.status == 401) {
    response.headers.add("WWW-Authenticate", R"(Basic realm="fairway", charset="UTF-8")");
    response.headers.add("WWW-Authenticate", R"(Bearer realm="fairway")");
  }
  if (refusal.status == 503) response.headers.add("Retry-After", "1");
  api.metrics_.count_error(refusal.status, refusal.kind);
  return response;
}

http::Response Api::Answers::not_ready(const Api& api) {
  return refuse(api, {503, "not_ready", "there is nothing to answer from yet; try again soon"});
}

http::Response Api::Answers::send(const Api& api, const Document& document, std::size_t media_type,
                                  const Call& call) {
  const bool gzip = call.headers.accept_encoding && http::accepts_gzip(*call.headers.accept_encoding);
  const bool coded = gzip && document.gzip();
  if (!coded && call.headers.accept_encoding && !http::accepts_identity(*call.headers.accept_encoding))
    return refuse(api, unacceptable_coding);
  const Representation& representation = document.representation(media_type, gzip);
  const bool known =
      call.headers.if_none_match && http::etag_matches(*call.headers.if_none_match, representation.etag);
  return http::Response::of(known ? representation.not_modified : representation.full);
}

namespace {

/// Adds the age of an answer while the graph that it comes from is not fresh.
http::Response with_age(http::Response response, const ServingState& serving) {
  if (serving.stale()) response.headers.add(age_header, std::to_string(serving.age().count()));
  return response;
}

}  // namespace

http::Response Api::Answers::graph(const Api& api, const Call& call) {
  std::size_t type = graph_vendor_type;
  if (!absent(call.headers.accept)) {
    const auto choice = http::choose_media_type(call.headers.accept, graph_media_types);
    if (!choice) return refuse(api, not_acceptable);
    type = *choice == 0 ? graph_json_type : graph_vendor_type;
  }
  const auto channel = call.channel();
  if (!channel) return refuse(api, channel.error());
  const auto arch = call.arch();
  if (!arch) return refuse(api, arch.error());
  if (call.responses == nullptr) return not_ready(api);
  const GraphResponse& graph = call.responses->find(*arch, *channel, call.audience);
  return with_age(send(api, *graph.document, type, call), api.serving_);
}

http::Response Api::Answers::channels(const Api& api, const Call& call) {
  const auto choice = http::choose_media_type(call.headers.accept, channels_media_types);
  if (!choice) return refuse(api, not_acceptable);
  if (call.responses == nullptr) return not_ready(api);
  const std::size_t type = *choice == 0 ? channels_json_type : channels_vendor_type;
  return with_age(send(api, *call.responses->audiences[call.audience].channels, type, call), api.serving_);
}

http::Response Api::Answers::problems(const Api& api, const Call& call) {
  if (!http::choose_media_type(call.headers.accept, json_media_types)) return refuse(api, not_acceptable);
  if (call.responses == nullptr) return not_ready(api);
  return with_age(send(api, *call.responses->audiences[call.audience].problems, 0, call), api.serving_);
}

http::Response Api::Answers::graph_data(const Api& api, const Call& call) {
  if (call.responses == nullptr) return not_ready(api);
  return with_age(send(api, *call.responses->audiences[call.audience].graph_data, 0, call), api.serving_);
}

http::Response Api::Answers::openapi(const Api& api, const Call& call) {
  if (!http::choose_media_type(call.headers.accept, json_media_types)) return refuse(api, not_acceptable);
  return send(api, *api.openapi_, 0, call);
}

http::Response Api::Answers::nothing(const Api& api, const Call&) {
  return refuse(
      api, {404, "does_not_exist", "nothing is served here; see " + api.options_.path_prefix + "/openapi"});
}

}  // namespace fairway::updateservice
