// SPDX-License-Identifier: Apache-2.0

#include "conversion/check/converter.h"

#include "base/base64.h"
#include "base/text.h"
#include "conversion/internal/review.h"
#include "http/client.h"
#include "k8s/status.h"

namespace fairway::conversion {

namespace {

constexpr std::size_t most_answer_bytes = std::size_t{64} << 20;
constexpr std::size_t longest_shown = 500;

k8s::ConversionRequest head_of(const k8s::ConversionQuestion& question) {
  const bool is_v1 = question.version == k8s::ConversionVersion::v1;
  return {.api_version = is_v1 ? "apiextensions.k8s.io/v1" : "apiextensions.k8s.io/v1beta1",
          .uid = question.uid,
          .desired_api_version = question.desired.to_string()};
}

/// Returns the part of a URL that a definition's webhook must not have; empty: none.
/// Rules: ValidateWebhookURL of k8s.io/apiserver/pkg/util/webhook.
std::string_view refused_part(const http::Url& url) {
  if (!url.userinfo.empty()) return "a user's name";
  if (!url.query.empty()) return "a query";
  if (!url.fragment.empty()) return "a fragment";
  return {};
}

class Webhook {
 public:
  Webhook(http::Url url, std::unique_ptr<http::Client> client, std::stop_token stop)
      : url_(std::move(url)), client_(std::move(client)), stop_(std::move(stop)) {}

  std::expected<std::string, NoAnswer> ask(const k8s::ConversionQuestion& question) const {
    bool was_reached = false;
    http::Call call;
    call.method = "POST";
    call.url = url_;
    call.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, */*"}};
    call.body = k8s::write_conversion_request(question);
    call.max_body_bytes = most_answer_bytes;
    call.limits = Limits::within(Clock::system(), webhook_timeout, stop_);
    call.on_connected = [&] { was_reached = true; };
    auto reply = client_->send(call);
    if (!reply) return std::unexpected(NoAnswer{reply.error().within("asking the webhook"), was_reached});
    if (reply->status >= 200 && reply->status < 300) return std::move(reply->body);
    return std::unexpected(
        NoAnswer{{ErrorCode::unavailable, "the webhook " + url_.to_string() + " answered with status " +
                                              std::to_string(reply->status) + ": " +
                                              printable(reply->body, longest_shown)},
                 // No object makes a path that is not there, or a right that is missing.
                 reply->status >= 500 || reply->status == 400 || reply->status == 422});
  }

 private:
  http::Url url_;
  std::unique_ptr<http::Client> client_;
  std::stop_token stop_;
};

}  // namespace

Result<WebhookAddress> webhook_address(const k8s::CustomResourceDefinition& definition) {
  const std::string name(definition.name());
  if (definition.text("spec.conversion.strategy") != "Webhook") {
    return fail(ErrorCode::not_found, name + " has no conversion webhook (spec.conversion.strategy)");
  }
  const k8s::View config = definition.at("spec.conversion.webhook.clientConfig");
  WebhookAddress address;
  auto bundle = base64_decode(config.text("caBundle"));
  if (!bundle) {
    return fail(ErrorCode::invalid, name + ": spec.conversion.webhook.clientConfig.caBundle is not base64");
  }
  address.ca_bundle = std::string(trim(*bundle));
  if (config.has("url")) {
    address.url = config.text("url");
  } else if (config.has("service")) {
    const k8s::View service = config.at("service");
    address.url = "https://" + std::string(service.text("name")) + "." +
                  std::string(service.text("namespace")) +
                  ".svc:" + std::to_string(service.integer("port", 443)) +
                  (service.text("path").starts_with('/') ? "" : "/") + std::string(service.text("path"));
  } else {
    return fail(ErrorCode::invalid,
                name + ": spec.conversion.webhook.clientConfig has neither url nor service");
  }
  return address;
}

Result<AskConverter> ask_webhook(const WebhookAddress& address, std::stop_token stop) {
  auto url = http::Url::parse(address.url);
  if (!url) return fail(url.error().within("the webhook's URL"));
  if (url->scheme != "https" && url->scheme != "http") {
    return fail(ErrorCode::invalid, "the webhook's URL " + url->to_string() + " is of " + url->scheme +
                                        ": it has to be https://HOST:PORT/PATH");
  }
  if (const std::string_view part = refused_part(*url); !part.empty()) {
    return fail(ErrorCode::invalid, "the webhook's URL has " + std::string(part) +
                                        ": API servers refuse such a URL in a definition; leave that out");
  }
  url->query = "timeout=" + std::to_string(webhook_timeout.count()) + "s";
  http::ClientOptions options{.ca_files = address.ca_files,
                              .tls_server_name = address.server_name,
                              .user_agent = "fairway-convert-check"};
  if (!address.ca_bundle.empty()) {
    options.system_cas = false;
    options.ca_texts = {{address.ca_bundle, "the caBundle of the definition"}};
  }
  auto client = http::Client::create(options);
  if (!client) return fail(client.error());
  const auto webhook = std::make_shared<const Webhook>(*std::move(url), *std::move(client), std::move(stop));
  return [webhook](const k8s::ConversionQuestion& question) { return webhook->ask(question); };
}

AskConverter ask_converters(std::shared_ptr<const Converters> converters) {
  return [converters = std::move(converters)](
             const k8s::ConversionQuestion& question) -> std::expected<std::string, NoAnswer> {
    ReviewReply reply = answer_review(*converters, k8s::write_conversion_request(question));
    if (reply.http_status == 200) return std::move(reply.body);
    return std::unexpected(NoAnswer{{ErrorCode::invalid, reply.error}, true});
  };
}

AskConverter ask_nobody() {
  return [](const k8s::ConversionQuestion& question) -> std::expected<std::string, NoAnswer> {
    std::vector<json::Object> objects;
    for (const json::Object* object : question.objects) {
      json::Object& renamed = objects.emplace_back(*object);
      renamed["apiVersion"] = question.desired.to_string();
    }
    return write_converted(question, objects);
  };
}

std::string write_converted(const k8s::ConversionQuestion& question,
                            const std::vector<json::Object>& objects) {
  std::string text;
  k8s::ConversionResponseWriter writer(text, head_of(question));
  for (const json::Object& object : objects) json::append_text(writer.next(), object);
  writer.end();
  return text;
}

std::string write_refusal(const k8s::ConversionQuestion& question, std::string_view why) {
  return k8s::write_conversion_failure(head_of(question), k8s::Status::of({.message = std::string(why)}));
}

}  // namespace fairway::conversion
