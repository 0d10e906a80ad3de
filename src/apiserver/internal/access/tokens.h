// SPDX-License-Identifier: Apache-2.0

// Tokens: those of ServiceAccounts, and the users that bear them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/service_account_token.h"
#include "apiserver/internal/access/user.h"
#include "apiserver/internal/storage/storage.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::access {

/// Keys, issuers and audiences of tokens that are given from outside.
struct TokenSettings {
  /// Issuers of tokens, the first one that of new tokens; empty: the one that kubeadm sets.
  std::vector<std::string> issuers = {};
  /// Private key that signs (PEM); empty: the server's own, which its storage keeps.
  std::string private_key = {};
  /// Keys by which tokens are verified; empty: by that of the key that signs.
  std::vector<http::VerifyingKey> verifying = {};
  /// Audiences of this server; empty: its issuers.
  std::vector<std::string> audiences = {};
};

/// The tokens of one server. A token is no longer valid once its ServiceAccount, or the object that it is
/// bound to, is deleted or replaced by another one of the same name. Safe from all threads.
class Tokens {
 public:
  /// Opens the tokens of a server. If no signing key is given, one is made when the storage is new, and kept
  /// there. `storage` and `clock` must outlive this. Errors: those of the storage; `invalid` for a given key.
  static Result<std::unique_ptr<Tokens>> open(storage::Storage& storage, Clock& clock,
                                              TokenSettings settings = {});

  /// Audiences of this server: those of tokens that are requested without any.
  const std::vector<std::string>& audiences() const { return audiences_; }

  struct Bearer {
    User user;
    /// The requested audiences that the token is for.
    std::vector<std::string> audiences;
  };
  /// Returns the user of a token for one of `audiences`. Errors (`unauthenticated`) say what is wrong with
  /// it; they include that the storage cannot be read.
  Result<Bearer> authenticate(std::string_view token, const std::vector<std::string>& audiences) const;
  /// Returns the user of a token for this server.
  Result<Bearer> authenticate(std::string_view token) const { return authenticate(token, audiences()); }

  /// Returns the user of a cached token that has not expired, whether or not the account still exists. It
  /// verifies no signature, which takes most of a millisecond.
  std::optional<User> presumed_user(std::string_view token) const;

  const TokenSigner& signer() const { return signer_; }
  Clock& clock() const { return clock_; }

  /// The document at a path: the keys, or the issuer's metadata (OpenID Connect Discovery), and its media
  /// type. A null value: the path is neither.
  struct Document {
    json::Value value;
    std::string_view media_type;
  };
  Document document(std::string_view path) const;
  /// Sets the server's URL, which the metadata names; until then it is the issuer's.
  void set_url(std::string url);

 private:
  Tokens(storage::Storage& storage, Clock& clock, TokenSigner signer, std::vector<std::string> audiences);
  /// Returns whether an object exists and still has that uid.
  bool is_alive(const storage::Key& key, std::string_view uid) const;
  /// Returns the cached claims of a token; null: they are not cached.
  std::shared_ptr<const TokenClaims> cached_claims(std::string_view token) const;
  /// Returns the claims of a token that a trusted key has signed, from the cache if they are there.
  Result<std::shared_ptr<const TokenClaims>> claims_of(std::string_view token) const;

  storage::Storage& storage_;
  Clock& clock_;
  TokenSigner signer_;
  std::vector<std::string> audiences_;
  mutable std::mutex mutex_;
  std::string url_;
  mutable std::map<std::string, std::shared_ptr<const TokenClaims>, std::less<>> cache_;
};

}  // namespace fairway::apiserver::access
