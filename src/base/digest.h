// SPDX-License-Identifier: Apache-2.0

// SHA-256, as images, ETags and caches name their contents.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fairway {

/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// HMAC-SHA-256 (RFC 2104) of `text` under `key`: 64 lower-case hex digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

/// Returns whether two secrets or digests are the same. The time that it takes does not depend on where they
/// differ.
bool same_secret(std::string_view a, std::string_view b);

/// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  /// 64 lower-case hex digits; the object must not be used afterwards.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace fairway
