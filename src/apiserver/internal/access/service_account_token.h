// Tokens of ServiceAccounts: signed JSON Web Tokens with Kubernetes's claims.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::access {

/// An object that a token lives as long as: a Pod, Secret or Node.
struct BoundObject {
  std::string kind, name, uid;
  friend bool operator==(const BoundObject&, const BoundObject&) = default;
};

/// What a token says.
struct TokenClaims {
  std::string namespace_name, service_account, uid;
  std::optional<BoundObject> bound;
  /// Of a token that is bound to a Pod: the Node that it runs on, whose uid may be unknown.
  std::optional<BoundObject> node;
  std::vector<std::string> audiences;
  std::string issuer, id;
  /// In whole seconds.
  WallTime issued, not_before, expires;
  friend bool operator==(const TokenClaims&, const TokenClaims&) = default;
};

/// Signs tokens with one key, and checks those that it has signed. Safe from all threads.
class TokenSigner {
 public:
  /// `private_key`: PEM, ECDSA P-256 (`http::make_signing_key`). Errors: `invalid` if it is none.
  static Result<TokenSigner> of(std::string private_key, std::string issuer);

  /// `claims.issuer` is that of this signer. Errors: `invalid` for a bound object of another kind; `internal`
  /// if OpenSSL fails.
  Result<std::string> sign(const TokenClaims& claims) const;

  /// The claims of a token that this has signed. They stay as they are, so that they may be kept: to read
  /// them takes most of a millisecond. Errors (`unauthenticated`) say what is wrong.
  Result<TokenClaims> read(std::string_view token) const;
  /// Whether claims are valid at `now` and for one of `audiences`. Whether the ServiceAccount still exists is
  /// the caller's to look up. Errors as above.
  static Result<void> check(const TokenClaims& claims, const std::vector<std::string>& audiences,
                            WallTime now);
  /// Both.
  Result<TokenClaims> verify(std::string_view token, const std::vector<std::string>& audiences,
                             WallTime now) const;

  /// The keys (`/openid/v1/jwks`) and the issuer's metadata (`/.well-known/openid-configuration`).
  json::Value key_set() const;
  json::Value openid_configuration(std::string_view jwks_uri) const;
  const std::string& issuer() const { return issuer_; }

 private:
  TokenSigner(std::string private_key, std::string public_key, std::string issuer, json::Value web_key);

  std::string private_key_, public_key_, issuer_;
  json::Value web_key_;
  std::string header_;  ///< encoded
};

}  // namespace fairway::apiserver::access
