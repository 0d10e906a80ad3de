// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/webhooks/webhook_client.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "apiserver/internal/webhooks/service_address.h"
#include "base/base64.h"
#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::apiserver::webhooks {

namespace {

constexpr std::size_t most_shown = 2048;

/// Returns the name that the certificate of a Service must have.
std::string server_name(const k8s::View& service) {
  return std::string(service.text("name")) + "." + std::string(service.text("namespace")) + ".svc";
}

Result<std::unique_ptr<http::Client>> make_client(const k8s::View& config, std::string_view owner) {
  http::ClientOptions options{.user_agent = "kube-apiserver-admission"};
  const auto bundle = base64_decode(config.text("caBundle"));
  if (!bundle) return fail(ErrorCode::invalid, "the caBundle is not base64");
  // One of white space alone is none.
  if (bundle->find_first_not_of(" \t\r\n") != std::string::npos) {
    options.system_cas = false;
    options.ca_texts = {{*bundle, "the caBundle of " + std::string(owner)}};
  }
  if (config.has("service")) {
    options.tls_server_name = server_name(config.at("service"));
    options.proxy_environment = false;
  }
  return http::Client::create(options);
}

/// Returns the timeout as a query, in whole seconds, rounded up.
std::string query_of(std::chrono::nanoseconds timeout) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(timeout).count();
  return "timeout=" + std::to_string(std::max<std::int64_t>(seconds, 1)) + "s";
}

}  // namespace

WebhookClient::WebhookClient(const k8s::View& client_config, std::string_view owner,
                             storage::Storage& storage)
    : storage_(storage), config_(client_config.json()), client_(make_client(config_, owner)) {}

std::string WebhookClient::describe(std::chrono::nanoseconds timeout) const {
  if (const auto text = config_.find_text("url")) {
    auto url = http::Url::parse(*text);
    if (!url) return "Post " + quote(*text);
    url->path = http::clean_path(url->path);
    url->query = query_of(timeout);
    return "Post " + quote(url->to_string());
  }
  const k8s::View service = config_.at("service");
  return "Post " +
         quote("https://" + server_name(service) + ":" + std::to_string(service.integer("port", 443)) +
               http::clean_path(service.text("path")) + "?" + query_of(timeout));
}

Result<WebhookClient::Target> WebhookClient::find_target(std::chrono::nanoseconds timeout) const {
  Target target{.url = {}, .shown = describe(timeout)};
  if (const auto text = config_.find_text("url")) {
    auto url = http::Url::parse(*text);
    if (!url) return fail(url.error());
    target.url = *std::move(url);
    // envtest writes https://HOST:PORT//PATH.
    target.url.path = http::clean_path(target.url.path);
    target.url.query = query_of(timeout);
    return target;
  }
  const k8s::View service = config_.at("service");
  const auto port = static_cast<std::uint16_t>(service.integer("port", 443));
  auto address = find_service(storage_, service.text("namespace"), service.text("name"), port);
  if (!address) return fail(address.error().within(target.shown));
  target.url = {.scheme = "https", .host = std::move(address->host), .port = address->port};
  target.url.path = http::clean_path(service.text("path"));
  target.url.query = query_of(timeout);
  return target;
}

Result<std::string> WebhookClient::post(std::string document, const PostLimits& limits) const {
  if (!client_) return fail(client_.error());
  auto target = find_target(limits.limits.remaining(Clock::system()));
  if (!target) return fail(target.error());
  http::Call call;
  call.method = "POST";
  call.url = std::move(target->url);
  call.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, */*"}};
  call.body = std::move(document);
  call.max_body_bytes = limits.most_bytes;
  call.limits = limits.limits;
  auto reply = (*client_)->send(call);
  if (!reply) return fail(reply.error().within(target->shown));
  if (reply->status >= 200 && reply->status < 300) return std::move(reply->body);
  if (reply->status == 404) {
    return fail(ErrorCode::unavailable, "the server could not find the requested resource");
  }
  const std::string_view type = reply->headers.find("Content-Type").value_or("");
  const bool is_text = type.empty() || type.starts_with("text/");
  return fail(ErrorCode::unavailable, "an error on the server (" +
                                          quote(is_text ? printable(reply->body, most_shown) : "unknown") +
                                          ") has prevented the request from succeeding");
}

}  // namespace fairway::apiserver::webhooks
