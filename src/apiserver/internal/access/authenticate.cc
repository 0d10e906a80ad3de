// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/authenticate.h"

#include <optional>
#include <string_view>

#include "apiserver/internal/access/client_certificate.h"
#include "base/log.h"
#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::access {

namespace {

/// Returns the token of "Bearer TOKEN" (RFC 6750). Other schemes are no credentials here.
std::optional<std::string_view> bearer_token(const http::Request& request) {
  const std::string_view header = trim(request.header("Authorization").value_or(""));
  const std::size_t space = header.find(' ');
  if (space == std::string_view::npos || !equals_ignoring_case(header.substr(0, space), "Bearer")) {
    return std::nullopt;
  }
  return trim(header.substr(space));
}

}  // namespace

k8s::StatusResult<User> authenticate(const http::Request& request, const Tokens* tokens) {
  if (request.peer != nullptr) {
    if (auto user = user_of_certificate(*request.peer)) return *std::move(user);
  }
  if (const auto token = bearer_token(request); token && tokens != nullptr) {
    auto bearer = tokens->authenticate(*token);
    if (bearer) return std::move(bearer->user);
    log::debug("a request is refused", {{"why", bearer.error().message}});
  }
  return std::unexpected(k8s::answer::unauthorized("Unauthorized"));
}

std::optional<User> presumed_user(const http::Request& request, const Tokens* tokens) {
  if (request.peer != nullptr && !request.peer->certificate_subject.empty()) {
    if (auto user = user_of_subject(request.peer->certificate_subject)) return user;
  }
  const auto token = bearer_token(request);
  if (!token || tokens == nullptr) return std::nullopt;
  return tokens->presumed_user(*token);
}

}  // namespace fairway::apiserver::access
