// SPDX-License-Identifier: Apache-2.0

#include "command_line/own_health.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "http/client.h"
#include "http/url.h"

namespace fairway::command_line {
namespace {

/// Time in which a process that is alive answers.
constexpr std::chrono::seconds answer_limit{5};
constexpr std::size_t largest_answer = 64 << 10;
constexpr int too_many_requests = 429;

/// Returns the reason that a reply gives, without what the report of it says itself.
std::string reason_of(const http::Reply& reply) {
  std::string_view reason = trim(reply.body);
  for (const std::string_view begin : {"not ready: ", "not alive: "}) {
    if (reason.starts_with(begin)) reason.remove_prefix(begin.size());
  }
  if (reason.empty()) return "status " + std::to_string(reply.status);
  return std::string(reason);
}

/// Asks one endpoint of this process. Returns the reason why it is not well.
std::optional<std::string> ask(http::Client& client, http::Url url, std::string path) {
  http::Call call;
  url.path = std::move(path);
  call.url = std::move(url);
  call.limits = Limits::within(Clock::system(), answer_limit);
  call.max_body_bytes = largest_answer;
  const auto reply = client.send(call);
  if (!reply) return reply.error().message;
  if (reply->status < 300 || reply->status == too_many_requests) return std::nullopt;
  return reason_of(*reply);
}

Result<std::shared_ptr<http::Client>> own_client(const std::string& authority) {
  http::ClientOptions options{.system_cas = false, .proxy_environment = false};
  if (!authority.empty()) {
    options.ca_texts.emplace_back(authority, "the server's own authority");
    options.tls_server_name = "localhost";
  }
  auto client = http::Client::create(options);
  if (!client) return fail(client.error().within("preparing to ask this process how it is"));
  return std::shared_ptr<http::Client>(*std::move(client));
}

}  // namespace

Result<ServiceHealth> health_at(const std::string& url, const std::string& authority) {
  const auto parsed = http::Url::parse(url);
  if (!parsed) return fail(parsed.error().within("preparing to ask this process how it is"));
  const auto client = own_client(authority);
  if (!client) return fail(client.error());
  return ServiceHealth{
      .not_ready = [client = *client, url = *parsed] { return ask(*client, url, "/readyz"); },
      .not_alive = [client = *client, url = *parsed] { return ask(*client, url, "/livez"); }};
}

Result<ServiceHealth> health_of(const kube::Manager& manager) {
  const auto client = own_client({});
  if (!client) return fail(client.error());
  return ServiceHealth{.not_ready = [&manager] { return manager.not_ready(); },
                       .not_alive = [&manager, client = *client]() -> std::optional<std::string> {
                         const std::string address = manager.status_address();
                         if (address.empty()) return manager.not_alive();
                         const auto url = http::Url::parse("http://" + address);
                         if (!url) return url.error().message;
                         return ask(*client, *url, "/livez");
                       }};
}

}  // namespace fairway::command_line
