// SPDX-License-Identifier: Apache-2.0

// Certificates and keys that the server is given, in place of its own or besides them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apiserver/internal/access/tokens.h"
#include "base/result.h"

namespace fairway::apiserver::server {

/// The certificates of given files (PEM), without anything else that these hold: they are published. Empty
/// where none is given.
struct GivenCredentials {
  std::string client_authorities = {};
  /// The certificate to serve with, and its chain.
  std::string certificate = {};
};

/// Reads the CAs of clients, and the certificate to serve with, which are checked. Paths may be empty. Errors
/// name the file: it cannot be read, is no PEM, or the key is missing or another certificate's.
Result<GivenCredentials> read_given_credentials(const std::filesystem::path& client_ca_file,
                                                const std::filesystem::path& certificate_file,
                                                const std::filesystem::path& key_file);

/// Reads the key that signs tokens and those that verify them. `signing_key_file` may be empty, and
/// `key_files` too. Errors name the file.
Result<access::TokenSettings> read_token_settings(const std::filesystem::path& signing_key_file,
                                                  const std::vector<std::filesystem::path>& key_files);

}  // namespace fairway::apiserver::server
