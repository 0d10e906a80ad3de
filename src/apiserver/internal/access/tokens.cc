// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/tokens.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/quoted_text.h"
#include "http/signing_key.h"
#include "k8s/object.h"

namespace fairway::apiserver::access {

namespace {

/// The issuer that kubeadm sets.
constexpr std::string_view default_issuer = "https://kubernetes.default.svc.cluster.local";
constexpr std::string_view key_name = "sa.key";
constexpr std::string_view keys_path = "/openid/v1/jwks", metadata_path = "/.well-known/openid-configuration";

/// Time that an object which is being deleted still counts as present, as in Kubernetes: clocks differ.
constexpr std::chrono::minutes leeway{1};

/// Number of tokens whose claims are cached, so that their signature is not verified again. A token has about
/// a kilobyte.
constexpr std::size_t max_cached = 1024;

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::unauthenticated, std::move(why));
}

Result<std::string> load_key(storage::Storage& storage) {
  auto kept = storage.value(key_name);
  if (!kept) return fail(kept.error());
  if (*kept) return **std::move(kept);
  auto made = http::make_signing_key();
  if (!made) return made;
  if (auto written = storage.set_value(key_name, *made); !written) return fail(written.error());
  return made;
}

std::string resource_of(const BoundObject& object) {
  if (object.kind == "Pod") return "pods";
  return object.kind == "Secret" ? "secrets" : "nodes";
}

void set_extra(User& user, std::string_view key, const std::string& value) {
  if (!value.empty()) user.extra["authentication.kubernetes.io/" + std::string(key)] = {value};
}

User user_of(const TokenClaims& claims) {
  User user = User::service_account(claims.namespace_name, claims.service_account, claims.uid);
  if (!claims.id.empty()) user.extra[std::string(credential_id_key)] = {"JTI=" + claims.id};
  const BoundObject* node = claims.node ? &*claims.node : nullptr;
  if (claims.bound && claims.bound->kind == "Pod") {
    set_extra(user, "pod-name", claims.bound->name);
    set_extra(user, "pod-uid", claims.bound->uid);
  } else if (claims.bound && claims.bound->kind == "Node") {
    node = &*claims.bound;
  }
  if (node != nullptr) {
    set_extra(user, "node-name", node->name);
    set_extra(user, "node-uid", node->uid);
  }
  return user;
}

}  // namespace

Tokens::Tokens(storage::Storage& storage, Clock& clock, TokenSigner signer,
               std::vector<std::string> audiences)
    : storage_(storage),
      clock_(clock),
      signer_(std::move(signer)),
      audiences_(std::move(audiences)),
      url_(signer_.issuer()) {}

Result<std::unique_ptr<Tokens>> Tokens::open(storage::Storage& storage, Clock& clock,
                                             TokenSettings settings) {
  if (settings.private_key.empty()) {
    auto key = load_key(storage);
    if (!key) return fail(key.error().within("the key of ServiceAccount tokens"));
    // Nobody else has it: what it signs is valid, whatever other keys are given.
    if (!settings.verifying.empty()) {
      auto own = http::read_verifying_keys(*key);
      if (!own) return fail(own.error());
      settings.verifying.push_back(std::move(own->front()));
    }
    settings.private_key = *std::move(key);
  }
  if (settings.issuers.empty()) settings.issuers.emplace_back(default_issuer);
  if (settings.audiences.empty()) settings.audiences = settings.issuers;
  auto signer = TokenSigner::of({.private_key = std::move(settings.private_key),
                                 .issuers = std::move(settings.issuers),
                                 .verifying = std::move(settings.verifying)});
  if (!signer) return fail(signer.error());
  return std::unique_ptr<Tokens>(
      new Tokens(storage, clock, *std::move(signer), std::move(settings.audiences)));
}

bool Tokens::is_alive(const storage::Key& key, std::string_view uid) const {
  const auto found = storage_.get(key);
  if (!found || *found == nullptr) return false;
  auto document = json::parse((*found)->json());
  if (!document || !document->is_object()) return false;
  const k8s::Dynamic object(std::move(document->get_object()));
  if (object.uid() != uid) return false;
  if (!object.is_being_deleted()) return true;
  const auto deleted = object.deletion_time();
  return deleted && *deleted >= clock_.now() - leeway;
}

std::shared_ptr<const TokenClaims> Tokens::cached_claims(std::string_view token) const {
  const std::lock_guard lock(mutex_);
  const auto found = cache_.find(token);
  return found != cache_.end() ? found->second : nullptr;
}

Result<std::shared_ptr<const TokenClaims>> Tokens::claims_of(std::string_view token) const {
  if (auto claims = cached_claims(token)) return claims;
  auto claims = signer_.read(token);
  if (!claims) return fail(claims.error());
  auto made = std::make_shared<const TokenClaims>(*std::move(claims));
  const std::lock_guard lock(mutex_);
  // Only what a trusted key has signed is remembered: strangers cannot fill it.
  if (cache_.size() >= max_cached) cache_.clear();
  cache_.try_emplace(std::string(token), made);
  return made;
}

Result<Tokens::Bearer> Tokens::authenticate(std::string_view token,
                                            const std::vector<std::string>& audiences) const {
  const auto known = claims_of(token);
  if (!known) return fail(known.error());
  const TokenClaims* const claims = known->get();
  if (auto checked = TokenSigner::check(*claims, audiences, clock_.now()); !checked) {
    return fail(checked.error());
  }
  const std::string& namespace_name = claims->namespace_name;
  if (!is_alive({"serviceaccounts", namespace_name, claims->service_account}, claims->uid)) {
    return refuse("serviceaccounts " + quote(claims->service_account) + " not found");
  }
  if (claims->bound) {
    const std::string resource = resource_of(*claims->bound);
    const storage::Key key{resource, resource == "nodes" ? "" : namespace_name, claims->bound->name};
    if (!is_alive(key, claims->bound->uid)) return refuse("service account token has been invalidated");
  }
  Bearer bearer{.user = user_of(*claims), .audiences = {}};
  for (const std::string& audience : claims->audiences) {
    if (std::ranges::find(audiences, audience) != audiences.end()) bearer.audiences.push_back(audience);
  }
  return bearer;
}

std::optional<User> Tokens::presumed_user(std::string_view token) const {
  const auto claims = cached_claims(token);
  if (claims == nullptr || !TokenSigner::check(*claims, audiences(), clock_.now())) return std::nullopt;
  return user_of(*claims);
}

Tokens::Document Tokens::document(std::string_view path) const {
  if (path == keys_path) return {signer_.key_set(), "application/jwk-set+json"};
  if (path != metadata_path) return {};
  const std::lock_guard lock(mutex_);
  return {signer_.openid_configuration(url_ + std::string(keys_path)), "application/json"};
}

void Tokens::set_url(std::string url) {
  const std::lock_guard lock(mutex_);
  url_ = std::move(url);
}

}  // namespace fairway::apiserver::access
