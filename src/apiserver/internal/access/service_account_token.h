// SPDX-License-Identifier: Apache-2.0

// Tokens of ServiceAccounts: signed JSON Web Tokens with Kubernetes's claims.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "http/signing_key.h"

namespace fairway::apiserver::access {

/// The object that a token is bound to: a Pod, Secret or Node. The token is valid as long as it exists.
struct BoundObject {
  std::string kind, name, uid;
  friend bool operator==(const BoundObject&, const BoundObject&) = default;
};

/// The claims of a token.
struct TokenClaims {
  std::string namespace_name, service_account, uid;
  std::optional<BoundObject> bound;
  /// The Node of the Pod that a token is bound to; its uid may be unknown.
  std::optional<BoundObject> node;
  std::vector<std::string> audiences;
  std::string issuer, id;
  /// Times in whole seconds.
  WallTime issued, not_before, expires;
  friend bool operator==(const TokenClaims&, const TokenClaims&) = default;
};

/// The keys and issuers of a signer.
struct TokenKeys {
  /// Private key that signs: PEM, RSA or ECDSA (`http::sign`).
  std::string private_key;
  /// Issuers: the first one is that of new tokens, and tokens of all are accepted. Must not be empty.
  std::vector<std::string> issuers;
  /// Keys by which tokens are verified, as `http::read_verifying_keys` reads them; empty: by that of
  /// `private_key`.
  std::vector<http::VerifyingKey> verifying = {};
};

/// Signs tokens with one key, and verifies those of the keys that it trusts. Safe from all threads.
class TokenSigner {
 public:
  /// Makes a signer. Errors: `invalid` if the private key cannot be read, or signs no tokens.
  static Result<TokenSigner> of(TokenKeys keys);
  /// Makes a signer that trusts its own key alone.
  static Result<TokenSigner> of(std::string private_key, std::string issuer);

  /// Signs a token, with this signer as its issuer. Errors: `invalid` for a bound object of another kind;
  /// `internal` if OpenSSL fails.
  Result<std::string> sign(const TokenClaims& claims) const;

  /// Returns the claims of a token that a trusted key has signed. They never change and may be cached:
  /// reading them takes most of a millisecond. Errors (`unauthenticated`) say what is wrong.
  Result<TokenClaims> read(std::string_view token) const;
  /// Checks that claims are valid at `now` and for one of `audiences`. The caller looks up whether the
  /// ServiceAccount still exists. Errors: as `read`.
  static Result<void> check(const TokenClaims& claims, const std::vector<std::string>& audiences,
                            WallTime now);
  /// Reads the claims of a token and checks them.
  Result<TokenClaims> verify(std::string_view token, const std::vector<std::string>& audiences,
                             WallTime now) const;

  /// The keys (`/openid/v1/jwks`) and the issuer's metadata (`/.well-known/openid-configuration`).
  json::Value key_set() const;
  json::Value openid_configuration(std::string_view jwks_uri) const;
  /// The issuer of new tokens.
  const std::string& issuer() const { return keys_.issuers.front(); }
  /// All issuers whose tokens are accepted.
  const std::vector<std::string>& issuers() const { return keys_.issuers; }

 private:
  TokenSigner(TokenKeys keys, const http::VerifyingKey& own);

  TokenKeys keys_;
  std::string header_;  ///< encoded
};

}  // namespace fairway::apiserver::access
