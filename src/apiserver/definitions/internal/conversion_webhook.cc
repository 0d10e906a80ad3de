#include "apiserver/definitions/internal/conversion_webhook.h"

#include <utility>

#include "apiserver/definitions/internal/service_address.h"
#include "base/base64.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::definitions {

namespace {

constexpr std::chrono::seconds limit_of_call{30};
/// After a call that ran into the limit.
constexpr std::chrono::seconds rest{5};
constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::size_t most_shown = 2048;

/// The name that the certificate of a Service has to be of.
std::string server_name(const k8s::View& service) {
  return std::string(service.text("name")) + "." + std::string(service.text("namespace")) + ".svc";
}

Result<std::unique_ptr<http::Client>> make_client(const k8s::Dynamic& config, std::string_view definition) {
  http::ClientOptions options{.user_agent = "kube-apiserver-admission"};
  const auto bundle = base64_decode(config.text("caBundle"));
  if (!bundle) return fail(ErrorCode::invalid, "the caBundle is not base64");
  // One of white space alone is none.
  if (bundle->find_first_not_of(" \t\r\n") != std::string::npos) {
    options.system_cas = false;
    options.ca_texts = {{*bundle, "the caBundle of " + std::string(definition)}};
  }
  if (config.has("service")) {
    options.tls_server_name = server_name(config.at("service"));
    options.proxy_environment = false;
  }
  return http::Client::create(options);
}

}  // namespace

ConversionWebhook::ConversionWebhook(const k8s::CustomResourceDefinition& definition, Objects& objects)
    : objects_(objects),
      version_(k8s::choose_conversion_version(
          definition.texts("spec.conversion.webhook.conversionReviewVersions"))),
      client_config_(definition.at("spec.conversion.webhook.clientConfig").json()),
      client_(make_client(client_config_, definition.name())) {}

Result<ConversionWebhook::Target> ConversionWebhook::find_target() const {
  Target target;
  const std::string query = "timeout=" + std::to_string(limit_of_call.count()) + "s";
  if (const auto text = client_config_.find_text("url")) {
    auto url = http::Url::parse(*text);
    if (!url) return fail(url.error());
    target.url = *std::move(url);
    target.url.query = query;
    target.shown = target.url.to_string();
    return target;
  }
  const k8s::View service = client_config_.at("service");
  const std::int64_t port = service.integer("port", 443);
  target.url = {.scheme = "https", .host = server_name(service), .port = static_cast<std::uint16_t>(port)};
  const std::string_view path = service.text("path");
  target.url.path = path.starts_with('/') ? std::string(path) : "/" + std::string(path);
  target.url.query = query;
  target.shown = "https://" + target.url.host + ":" + std::to_string(port) + target.url.target();
  auto address = find_service(objects_.storage(), service.text("namespace"), service.text("name"),
                              static_cast<std::uint16_t>(port));
  if (!address) return fail(address.error().within("Post " + quote(target.shown)));
  target.url.host = std::move(address->host);
  target.url.port = address->port;
  return target;
}

/// The body of the answer. Errors are worded for the end of kube-apiserver's message.
Result<std::string> ConversionWebhook::ask(const std::string& review) const {
  if (!client_) return fail(client_.error());
  auto target = find_target();
  if (!target) return fail(target.error());
  const std::string doing = "Post " + quote(target->shown);
  Clock& clock = Clock::system();
  if (clock.steady().time_since_epoch().count() < rests_until_.load(std::memory_order_relaxed)) {
    return fail(ErrorCode::unavailable, doing + ": context deadline exceeded: it did not answer within " +
                                            std::to_string(limit_of_call.count()) + " s a moment ago");
  }
  http::Call call;
  call.method = "POST";
  call.url = target->url;
  call.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, */*"}};
  call.body = review;
  call.max_body_bytes = most_bytes;
  call.limits = Limits::within(clock, limit_of_call);
  auto reply = (*client_)->send(call);
  if (!reply) {
    if (reply.error().code == ErrorCode::deadline_exceeded) {
      rests_until_.store((clock.steady() + rest).time_since_epoch().count(), std::memory_order_relaxed);
    }
    return fail(reply.error().within(doing));
  }
  if (reply->status >= 200 && reply->status < 300) return std::move(reply->body);
  if (reply->status == 404) {
    return fail(ErrorCode::unavailable, "the server could not find the requested resource");
  }
  return fail(ErrorCode::unavailable, "an error on the server (" + quote(printable(reply->body, most_shown)) +
                                          ", status " + std::to_string(reply->status) +
                                          ") has prevented the request from succeeding");
}

k8s::StatusResult<void> ConversionWebhook::convert(k8s::Dynamic& object,
                                                   const k8s::GroupVersionKind& to) const {
  const std::string desired = to.api_version();
  if (object.api_version() == desired) return {};
  if (!k8s::needs_conversion(object.json(), desired)) {
    object.set("apiVersion", desired);
    return {};
  }
  const auto failed = [&](const std::string& why) {
    return std::unexpected(k8s::answer::internal_error(
        "conversion webhook for " + object.group_version_kind().to_string() + " failed: " + why));
  };
  if (!version_) {
    return std::unexpected(k8s::answer::internal_error("no supported conversion review versions"));
  }
  const k8s::ConversionQuestion question{.version = *version_,
                                         .uid = objects_.make_uid(),
                                         .desired = {to.group, to.version},
                                         .of = object.group_version_kind(),
                                         .objects = {&object.json()}};
  auto answer = ask(k8s::write_conversion_request(question));
  if (!answer) return failed(answer.error().message);
  auto converted = k8s::read_conversion_response(*answer, question);
  if (!converted) return std::unexpected(k8s::answer::internal_error(converted.error().message));
  object = k8s::Dynamic(std::move(converted->front()));
  return {};
}

}  // namespace fairway::apiserver::definitions
