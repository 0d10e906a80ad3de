// SPDX-License-Identifier: Apache-2.0

// Verification of OpenPGP "atomic container signatures" of images.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::oci {

/// One or more OpenPGP public keys, armored or binary, as a file has them.
struct PublicKey {
  std::string name;  ///< origin of the keys, for errors: "/keys/release.asc"
  std::string bytes;
};

/// Reads every file of a folder, except those starting with ".", in the order of their names. Errors: a
/// folder or a file that cannot be read.
Result<std::vector<PublicKey>> read_public_keys(const std::string& directory);

/// The trusted public keys. Safe from all threads.
class KeyRing {
 public:
  /// Makes a ring of all of these keys: a signature by any of them counts. Their validity is checked by the
  /// clock, which must outlive the ring. Errors: one of `keys` contains no key (it is named), or no key is
  /// currently valid.
  static Result<std::unique_ptr<KeyRing>> make(const std::vector<PublicKey>& keys, const Clock& clock);
  /// Makes a ring of the keys of a folder (`read_public_keys`). Errors: those of both.
  static Result<std::unique_ptr<KeyRing>> load(const std::string& directory, const Clock& clock);
  ~KeyRing();

  /// Checks a binary, signed OpenPGP message whose content is
  ///   {"critical":{"type":"atomic container signature","image":{"docker-manifest-digest":D},
  ///                "identity":{"docker-reference":R}}}
  /// It must be signed by one of these keys with SHA-256 or better, the key must be neither expired nor
  /// revoked now, the signature not expired, and D must be `digest` ("sha256:<hex>"). Unknown fields under
  /// `critical` are refused, as they must be understood. Returns R. Every failure is `invalid`; the text says
  /// which.
  Result<std::string> verify(std::string_view message, std::string_view digest) const;

  /// Returns a text that identifies the keys and their state: it changes when a key changes or expires.
  const std::string& fingerprint() const;

 private:
  struct Implementation;
  explicit KeyRing(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

/// Parses the content of a signature (see KeyRing::verify) and returns R if it is valid for `digest`.
Result<std::string> read_signature_content(std::string_view content, std::string_view digest);

}  // namespace fairway::oci
