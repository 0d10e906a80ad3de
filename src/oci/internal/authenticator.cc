// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/authenticator.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/redact.h"
#include "base/text.h"
#include "http/credentials.h"
#include "oci/internal/error_document.h"
#include "oci/internal/token_realm.h"

namespace fairway::oci {

namespace {

constexpr std::size_t max_token_reply = 1 << 20;
/// Lifetime of a token whose server names none (Docker registry, "Token Authentication Specification").
constexpr std::int64_t default_lifetime_seconds = 60;

std::string parameter(const Challenge& challenge, const std::string& name) {
  const auto found = challenge.parameters.find(name);
  return found == challenge.parameters.end() ? "" : found->second;
}

void append_pair(std::string& query, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!query.empty()) query += '&';
  query += std::string(name) + "=" + http::percent_encode(value);
}

}  // namespace

Authenticator::Session& Authenticator::session(const Reference& repository) {
  const std::lock_guard lock(mutex_);
  auto& session = sessions_[repository.registry + "/" + repository.repository];
  if (!session) session = std::make_unique<Session>();
  return *session;
}

std::string Authenticator::describe(const Reference& repository) const {
  const auto credentials = file_.find(repository.registry, repository.repository);
  if (!credentials) return credentials.error().message;
  if (!*credentials) return file_.describe_missing(repository.registry, repository.repository);
  return "the entry \"" + printable((*credentials)->entry) + "\" of the auth file " + file_.name() +
         " was used";
}

Result<std::string> Authenticator::ready(const Reference& repository, const Limits& limits) {
  auto& known = session(repository);
  const std::lock_guard lock(known.mutex);
  if (known.challenge.scheme == "bearer" && transport_.clock().steady() >= known.expires) {
    // Copies: they are replaced by what is fetched.
    const Challenge challenge = known.challenge;
    const http::Url registry = known.registry;
    auto fetched = fetch_token(known, registry, challenge, repository, limits);
    if (!fetched) return fail(fetched.error());
  }
  return known.authorization;
}

Result<std::string> Authenticator::answer(const Reference& repository, const http::Url& asked,
                                          const http::Headers& reply, const std::string& rejected,
                                          const Limits& limits) {
  Challenge bearer, basic;
  for (const auto value : reply.find_all("WWW-Authenticate")) {
    for (auto& challenge : parse_challenges(value)) {
      if (challenge.scheme == "bearer" && bearer.scheme.empty()) bearer = challenge;
      if (challenge.scheme == "basic" && basic.scheme.empty()) basic = challenge;
    }
  }
  auto& known = session(repository);
  const std::lock_guard lock(known.mutex);
  // Another thread was faster.
  if (!known.authorization.empty() && known.authorization != rejected &&
      transport_.clock().steady() < known.expires) {
    return known.authorization;
  }
  if (!bearer.scheme.empty()) {
    auto fetched = fetch_token(known, asked, bearer, repository, limits);
    if (!fetched) return fail(fetched.error());
    return known.authorization;
  }
  if (basic.scheme.empty()) {
    return fail(
        ErrorCode::unauthenticated,
        "the registry wants credentials and names no way to give them that is known here (Bearer, Basic)");
  }
  const auto credentials = file_.find(repository.registry, repository.repository);
  if (!credentials) return fail(credentials.error());
  if (!*credentials) {
    return fail(ErrorCode::unauthenticated, "the registry wants credentials: " + describe(repository));
  }
  auto authorization = http::basic_authorization((*credentials)->username, (*credentials)->password);
  if (authorization == rejected) {
    return fail(ErrorCode::unauthenticated, "the registry refuses the credentials: " + describe(repository));
  }
  known.challenge = std::move(basic);
  known.registry = asked;
  known.expires = SteadyTime::max();
  known.authorization = std::move(authorization);
  return known.authorization;
}

Result<http::Call> Authenticator::token_request(const http::Url& registry, const Challenge& challenge,
                                                const Reference& repository) const {
  auto realm = http::Url::parse(parameter(challenge, "realm"));
  if (!realm) return fail(ErrorCode::unavailable, "the registry's token server: " + realm.error().message);
  realm->userinfo.clear();
  if (realm->scheme != "https" && !(realm->scheme == "http" && trust_.plain_http)) {
    return fail(ErrorCode::forbidden,
                "the registry's token server " + redact_urls(realm->to_string()) +
                    " is reached by plain HTTP: say --registry-plain-http to send it credentials");
  }
  const auto credentials = file_.find(repository.registry, repository.repository);
  if (!credentials) return fail(credentials.error());
  // Without credentials any token server will do: only anonymous tokens are requested.
  if (*credentials && !may_receive_credentials(registry, *realm, trust_.hosts)) {
    return fail(ErrorCode::forbidden,
                "the registry's token server " + redact_urls(realm->to_string()) + " is another host than " +
                    registry.authority() +
                    ", and not of its registered domain by https: if it may receive the "
                    "credentials, say --registry-token-host " +
                    realm->authority());
  }
  auto scope = parameter(challenge, "scope");
  if (scope.empty()) scope = "repository:" + repository.repository + ":pull";

  http::Call call;
  call.max_body_bytes = max_token_reply;
  std::string query;
  append_pair(query, "service", parameter(challenge, "service"));
  append_pair(query, "scope", scope);
  if (*credentials && !(*credentials)->identity_token.empty()) {
    call.method = "POST";
    append_pair(query, "grant_type", "refresh_token");
    append_pair(query, "client_id", "fairway");
    append_pair(query, "refresh_token", (*credentials)->identity_token);
    call.headers.set("Content-Type", "application/x-www-form-urlencoded");
    call.body = std::move(query);
  } else {
    if (*credentials) {
      append_pair(query, "account", (*credentials)->username);
      call.headers.set("Authorization",
                       http::basic_authorization((*credentials)->username, (*credentials)->password));
    }
    realm->query += (realm->query.empty() ? "" : "&") + query;
  }
  call.headers.set("Accept", "application/json");
  call.url = *std::move(realm);
  return call;
}

Result<void> Authenticator::fetch_token(Session& session, const http::Url& registry,
                                        const Challenge& challenge, const Reference& repository,
                                        const Limits& limits) {
  auto call = token_request(registry, challenge, repository);
  if (!call) return fail(call.error());
  call->limits = limits;
  const std::string doing = "asking the registry's token server at " + call->url.authority() + " for a token";
  const auto reply = transport_.send(*call);
  if (!reply) return fail(reply.error().within(doing));
  if (reply->status == 401 || reply->status == 403) {
    return fail(reply->status == 401 ? ErrorCode::unauthenticated : ErrorCode::forbidden,
                doing + ": it refuses (" + std::to_string(reply->status) + "): " + describe(repository));
  }
  if (reply->status != 200) {
    const std::string said = error_text(reply->body);
    return fail(ErrorCode::unavailable, doing + ": it answers " + std::to_string(reply->status) +
                                            (said.empty() ? "" : " (" + said + ")"));
  }
  const auto document = json::parse(reply->body);
  if (!document) return fail(ErrorCode::unavailable, doing + ": " + document.error().message);
  auto token = json::find_string(*document, "token");
  if (!token || token->empty()) token = json::find_string(*document, "access_token");
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!token || token->empty() || !std::ranges::all_of(*token, is_plain)) {
    return fail(ErrorCode::unavailable, doing + ": its answer holds no token");
  }
  std::int64_t lifetime = default_lifetime_seconds;
  const auto* expires_in = json::find(*document, "expires_in");
  if (expires_in != nullptr && expires_in->is_int64() && expires_in->get_int64() > 0) {
    lifetime = std::min<std::int64_t>(expires_in->get_int64(), 24 * 3600);
  }
  session.challenge = challenge;
  session.registry = registry;
  // Renewed a little early, so that it does not expire in flight.
  session.expires = transport_.clock().steady() + std::chrono::milliseconds(lifetime * 1000 * 3 / 4);
  session.authorization = "Bearer " + std::string(*token);
  return {};
}

}  // namespace fairway::oci
