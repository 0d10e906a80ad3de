// Who bears a token, and tokens for ServiceAccounts.
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

/// The tokens of one server. A token is worth nothing once its ServiceAccount, or the object that it is bound
/// to, is gone or another one of the same name. Safe from all threads.
class Tokens {
 public:
  /// The signing key is made when the storage is new, and kept there. Both must outlive this. Errors: the
  /// storage.
  static Result<std::unique_ptr<Tokens>> open(storage::Storage& storage, Clock& clock);

  /// Of this server: what tokens are for that name none.
  std::vector<std::string> audiences() const { return {signer_.issuer()}; }

  struct Bearer {
    User user;
    /// Those of the token that were asked for.
    std::vector<std::string> audiences;
  };
  /// The user of a token for one of `audiences`. Errors (`unauthenticated`) say what is wrong with it; that
  /// the storage cannot be read is one, too.
  Result<Bearer> authenticate(std::string_view token, const std::vector<std::string>& audiences) const;
  /// The same, for this server.
  Result<Bearer> authenticate(std::string_view token) const { return authenticate(token, audiences()); }

  /// The user of a token that has been let in lately and that has not ended, whether or not the account is
  /// still there. It checks no signature: that takes most of a millisecond.
  std::optional<User> presumed_user(std::string_view token) const;

  const TokenSigner& signer() const { return signer_; }
  Clock& clock() const { return clock_; }

  /// The document at `path`: the keys, or the issuer's metadata (OpenID Connect Discovery), and its media
  /// type. A null value: it is neither.
  struct Document {
    json::Value value;
    std::string_view media_type;
  };
  Document document(std::string_view path) const;
  /// The server's URL, which the metadata names; until then it is the issuer's.
  void set_url(std::string url);

 private:
  Tokens(storage::Storage& storage, Clock& clock, TokenSigner signer);
  /// Returns whether an object is there, and still the one of that uid.
  bool is_alive(const storage::Key& key, std::string_view uid) const;
  /// Those of a token that is remembered; null: it is not.
  std::shared_ptr<const TokenClaims> known_claims(std::string_view token) const;
  /// What a token says that this server has signed: read once, as long as it is remembered.
  Result<std::shared_ptr<const TokenClaims>> claims_of(std::string_view token) const;

  storage::Storage& storage_;
  Clock& clock_;
  TokenSigner signer_;
  mutable std::mutex mutex_;
  std::string url_;
  mutable std::map<std::string, std::shared_ptr<const TokenClaims>, std::less<>> known_;
};

}  // namespace fairway::apiserver::access
