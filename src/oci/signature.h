// OpenPGP "atomic container signatures": who vouches for an image.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::oci {

/// The public keys that are trusted. Safe from all threads.
class KeyRing {
 public:
  /// Every file of a folder that does not begin with ".": public keys, armored or binary. Errors: a file that
  /// cannot be read or holds no key, or no key that is valid now.
  static Result<std::unique_ptr<KeyRing>> load(const std::string& directory);
  ~KeyRing();

  /// Checks a binary, signed OpenPGP message whose content is
  ///   {"critical":{"type":"atomic container signature","image":{"docker-manifest-digest":D},
  ///                "identity":{"docker-reference":R}}}
  /// It must be signed by one of these keys with SHA-256 or better, the key must be neither expired nor
  /// revoked now, the signature not expired, and D must be `digest` ("sha256:<hex>"). Other keys under
  /// `critical` are refused, because what is critical must be understood. Returns R. Errors: `invalid` for
  /// all of it, saying which.
  Result<std::string> verify(std::string_view message, std::string_view digest) const;

  /// Equal for equal keys in equal state: it changes when a file changes and when a key expires.
  const std::string& fingerprint() const;

 private:
  struct Implementation;
  explicit KeyRing(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

/// Reads the content of a signature (see KeyRing::verify) and returns R when all of it is right for `digest`.
Result<std::string> read_signature_content(std::string_view content, std::string_view digest);

}  // namespace fairway::oci
