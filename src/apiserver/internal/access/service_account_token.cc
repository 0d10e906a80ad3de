// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/service_account_token.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "apiserver/internal/access/token_signature.h"
#include "apiserver/internal/access/user.h"
#include "base/base64.h"
#include "base/quoted_text.h"
#include "http/signing_key.h"

namespace fairway::apiserver::access {

namespace {

/// Longest token that is read. A token of Kubernetes has about 1 KB; a header of a request has at most some
/// KB.
constexpr std::size_t max_token_size = 32 * 1024;

std::int64_t seconds(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

std::optional<WallTime> find_time(const json::Value& claims, std::string_view key) {
  const json::Value* value = json::find(claims, key);
  // The clock's type counts nanoseconds: it ends in the year 2262.
  constexpr std::int64_t last =
      std::chrono::floor<std::chrono::seconds>(WallTime::max()).time_since_epoch().count();
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0 || value->get_int64() > last) {
    return std::nullopt;
  }
  return WallTime(std::chrono::seconds(value->get_int64()));
}

std::string text(const json::Value* document, std::string_view key) {
  if (document == nullptr) return {};
  return std::string(json::find_string(*document, key).value_or(""));
}

/// The member of the claim `kubernetes.io` for an object of this kind.
constexpr std::pair<std::string_view, std::string_view> bound_members[] = {
    {"Pod", "pod"}, {"Secret", "secret"}, {"Node", "node"}};

json::Value kubernetes_claim(const TokenClaims& claims) {
  json::Object claim{{"namespace", claims.namespace_name}};
  if (claims.bound) {
    for (const auto& [kind, member] : bound_members) {
      if (kind == claims.bound->kind) {
        claim[member] = json::Object{{"name", claims.bound->name}, {"uid", claims.bound->uid}};
      }
    }
    if (claims.node && claims.bound->kind == "Pod") {
      claim["node"] = json::Object{{"name", claims.node->name}, {"uid", claims.node->uid}};
    }
  }
  claim["serviceaccount"] = json::Object{{"name", claims.service_account}, {"uid", claims.uid}};
  return claim;
}

void read_kubernetes_claim(const json::Value& claim, TokenClaims& claims) {
  claims.namespace_name = text(&claim, "namespace");
  const json::Value* account = json::find(claim, "serviceaccount");
  claims.service_account = text(account, "name");
  claims.uid = text(account, "uid");
  for (const auto& [kind, member] : bound_members) {
    if (const json::Value* bound = json::find(claim, member)) {
      claims.bound = {.kind = std::string(kind), .name = text(bound, "name"), .uid = text(bound, "uid")};
      break;
    }
  }
  const json::Value* node = json::find(claim, "node");
  if (node != nullptr && claims.bound->kind == "Pod") {
    claims.node = {.kind = "Node", .name = text(node, "name"), .uid = text(node, "uid")};
  }
}

std::vector<std::string> audiences_of(const json::Value* claim) {
  std::vector<std::string> audiences;
  if (claim == nullptr) return audiences;
  if (claim->is_string()) audiences.emplace_back(claim->get_string());
  if (!claim->is_array()) return audiences;
  for (const json::Value& audience : claim->get_array()) {
    if (audience.is_string()) audiences.emplace_back(audience.get_string());
  }
  return audiences;
}

/// Returns a list of strings as Go prints it (%q).
std::string quoted_list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() == 1 ? "" : " ") + quote(text);
  return out + "]";
}

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::unauthenticated, "the token " + std::move(why));
}

}  // namespace

TokenSigner::TokenSigner(TokenKeys keys, const http::VerifyingKey& own) : keys_(std::move(keys)) {
  header_ = base64url_encode(json::to_text(json::Object{{"alg", own.algorithm}, {"kid", key_id(own)}}));
}

Result<TokenSigner> TokenSigner::of(TokenKeys keys) {
  constexpr std::string_view doing = "the key that signs ServiceAccount tokens";
  // A certificate or a public key reads as one, too, but signs nothing.
  if (auto tried = http::sign(keys.private_key, doing); !tried) return fail(tried.error().within(doing));
  const auto own = http::read_verifying_keys(keys.private_key);
  if (!own) return fail(own.error().within(doing));
  if (keys.verifying.empty()) keys.verifying.push_back(own->front());
  return TokenSigner(std::move(keys), own->front());
}

Result<TokenSigner> TokenSigner::of(std::string private_key, std::string issuer) {
  return of({.private_key = std::move(private_key), .issuers = {std::move(issuer)}});
}

Result<std::string> TokenSigner::sign(const TokenClaims& claims) const {
  if (claims.bound &&
      std::ranges::find(bound_members, claims.bound->kind,
                        &std::pair<std::string_view, std::string_view>::first) == std::end(bound_members)) {
    // It would not be bound at all.
    return fail(ErrorCode::invalid, "signing a token: it cannot be bound to a " + claims.bound->kind);
  }
  const json::Object document{
      {"aud", json::Array(claims.audiences.begin(), claims.audiences.end())},
      {"exp", seconds(claims.expires)},
      {"iat", seconds(claims.issued)},
      {"iss", issuer()},
      {"jti", claims.id},
      {"kubernetes.io", kubernetes_claim(claims)},
      {"nbf", seconds(claims.not_before)},
      {"sub", service_account_user_name(claims.namespace_name, claims.service_account)}};
  const std::string signed_part = header_ + "." + base64url_encode(json::to_text(document));
  auto signature = http::sign(keys_.private_key, signed_part);
  if (!signature) return fail(signature.error().within("signing a token"));
  return signed_part + "." + base64url_encode(*signature);
}

Result<TokenClaims> TokenSigner::read(std::string_view token) const {
  if (token.size() > max_token_size) return refuse("is too long");
  const std::size_t end = token.rfind('.');
  const std::size_t begin = token.find('.');
  if (begin == std::string_view::npos || begin == end) return refuse("is no JSON Web Token");
  const auto signature = base64url_decode(token.substr(end + 1));
  if (!signature) return refuse("has a wrong signature");
  if (auto signed_by = check_signature(keys_.verifying, token.substr(0, end), begin, *signature); !signed_by)
    return fail(signed_by.error());
  const auto payload = base64url_decode(token.substr(begin + 1, end - begin - 1));
  if (!payload) return refuse("is no JSON Web Token");
  const auto document = json::parse(*payload);
  if (!document) return refuse("has claims that are no JSON: " + document.error().message);
  const json::Value* own = json::find(*document, "kubernetes.io");
  const auto issued = find_time(*document, "iat"), not_before = find_time(*document, "nbf"),
             expires = find_time(*document, "exp");
  if (own == nullptr || !issued || !not_before || !expires) return refuse("lacks a claim");
  TokenClaims claims{.audiences = audiences_of(json::find(*document, "aud")),
                     .issuer = text(&*document, "iss"),
                     .id = text(&*document, "jti"),
                     .issued = *issued,
                     .not_before = *not_before,
                     .expires = *expires};
  read_kubernetes_claim(*own, claims);
  if (std::ranges::find(keys_.issuers, claims.issuer) == keys_.issuers.end()) {
    return refuse("was issued by another server");
  }
  if (claims.namespace_name.empty() || claims.service_account.empty() || claims.uid.empty()) {
    return refuse("names no ServiceAccount");
  }
  return claims;
}

Result<void> TokenSigner::check(const TokenClaims& claims, const std::vector<std::string>& audiences,
                                WallTime now) {
  if (now < claims.not_before) {
    return fail(ErrorCode::unauthenticated, "service account token is not valid yet");
  }
  if (now >= claims.expires) return fail(ErrorCode::unauthenticated, "service account token has expired");
  const auto is_asked_for = [&](const std::string& audience) {
    return std::ranges::find(audiences, audience) != audiences.end();
  };
  if (std::ranges::any_of(claims.audiences, is_asked_for)) return {};
  return fail(ErrorCode::unauthenticated, "token audiences " + quoted_list(claims.audiences) +
                                              " is invalid for the target audiences " +
                                              quoted_list(audiences));
}

Result<TokenClaims> TokenSigner::verify(std::string_view token, const std::vector<std::string>& audiences,
                                        WallTime now) const {
  auto claims = read(token);
  if (!claims) return claims;
  if (auto checked = check(*claims, audiences, now); !checked) return fail(checked.error());
  return claims;
}

json::Value TokenSigner::key_set() const {
  json::Array keys;
  for (const http::VerifyingKey& key : keys_.verifying) keys.push_back(web_key(key));
  return json::Object{{"keys", std::move(keys)}};
}

json::Value TokenSigner::openid_configuration(std::string_view jwks_uri) const {
  json::Array algorithms;
  for (const http::VerifyingKey& key : keys_.verifying) {
    if (std::ranges::find(algorithms, json::Value(key.algorithm)) == algorithms.end()) {
      algorithms.emplace_back(key.algorithm);
    }
  }
  return json::Object{{"issuer", issuer()},
                      {"jwks_uri", jwks_uri},
                      {"response_types_supported", json::Array{"id_token"}},
                      {"subject_types_supported", json::Array{"public"}},
                      {"id_token_signing_alg_values_supported", std::move(algorithms)}};
}

}  // namespace fairway::apiserver::access
