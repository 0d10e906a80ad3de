// SPDX-License-Identifier: Apache-2.0

#include "operators/upstream_credentials.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "http/access.h"
#include "http/credentials.h"
#include "http/origin.h"

namespace fairway::operators {
namespace {

constexpr std::chrono::seconds request_timeout{10};

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

Result<std::string> authorization_of(const k8s::Secret& secret, std::string_view service) {
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::invalid, "the Secret " + secret.key().to_string() + ": " + std::string(why));
  };
  const std::string url(trim(secret.data("url").value_or("")));
  const auto its_own = http::read_access(url);
  if (url.empty() || !its_own) return wrong("url has to be the URL of the update service that it is for");
  const auto token = secret.data("token"), user = secret.data("username"), password = secret.data("password");
  if (token.has_value() == (user || password))
    return wrong("it has to have either token, or username and password");
  std::string authorization;
  if (token) {
    const std::string_view text = trim(*token);
    if (text.empty() || !is_printable(text)) return wrong("token is empty, or no token");
    authorization = "Bearer " + std::string(text);
  } else {
    if (!user || !password || user->empty() || user->contains(':'))
      return wrong("it has to have username, without a colon, and password");
    authorization = http::basic_authorization(*user, *password);
  }
  const auto asked = http::read_access(service);
  if (!asked || !http::same_origin(asked->url, its_own->url)) return "";
  return authorization;
}

Authorization authorization_from(std::shared_ptr<kube::Client> client, k8s::Key secret) {
  return [client = std::move(client), secret = std::move(secret)](
             const std::string& url, const std::stop_token& stop) -> std::string {
    auto read = client->get(k8s::Secret::resource.group_version_resource(), secret, {},
                            Limits::within(client->clock(), request_timeout, stop));
    if (!read) {
      if (!read.error().is_not_found() && !stop.stop_requested())
        log::warning("reading the credentials for the update service", {{"error", read.error().message}});
      return "";
    }
    auto authorization = authorization_of(k8s::Secret(read->release()), url);
    if (authorization) return *std::move(authorization);
    log::warning("the credentials for the update service are not used",
                 {{"error", authorization.error().message}});
    return "";
  };
}

}  // namespace fairway::operators
