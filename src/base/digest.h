// SHA-256, as images, ETags and caches name their contents.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fairway {

/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

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
