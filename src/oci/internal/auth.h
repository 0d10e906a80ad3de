// SPDX-License-Identifier: Apache-2.0

// Credentials for registries, from the files that docker and podman keep.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::oci {

struct Credentials {
  std::string username, password;
  std::string identity_token;  ///< an OAuth2 refresh token; used instead of the password
  std::string entry;           ///< key of their entry in the auth file, for messages
};

/// A Docker config.json or containers auth.json (containers-auth.json(5)), read once.
class AuthFile {
 public:
  /// Makes a file without credentials.
  AuthFile() = default;
  /// Reads an auth file. Errors: the file cannot be read, is not JSON, or an entry is broken (the entry is
  /// named, its secrets are not shown).
  static Result<AuthFile> load(const std::string& path);
  static Result<AuthFile> parse(std::string_view text, std::string name);

  /// Returns the entry for a repository: the longest of "registry/a/b", "registry/a", "registry" that exists.
  /// Keys match with or without scheme, and with Docker's "/v1/" after the host. Nothing: no entry, that is,
  /// anonymous access. Error (`unsupported`): the credentials are in a credential helper, which Fairway does
  /// not run.
  Result<std::optional<Credentials>> find(std::string_view registry, std::string_view repository) const;

  /// Returns a hint for an unauthorized caller: "no entry for host/repo in the auth file F", or that no auth
  /// file was given.
  std::string describe_missing(std::string_view registry, std::string_view repository) const;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::map<std::string, Credentials, std::less<>> entries_;     ///< credentials by normalized key
  std::map<std::string, std::string, std::less<>> in_helpers_;  ///< normalized key -> credential helper
};

/// A challenge of a WWW-Authenticate header (RFC 9110, section 11.6.1).
struct Challenge {
  std::string scheme;                             ///< lower case: "bearer", "basic"
  std::map<std::string, std::string> parameters;  ///< names in lower case: "realm", "service", "scope"
};

/// Parses the challenges of one header value, in order. The list ends before a challenge that cannot be
/// parsed.
std::vector<Challenge> parse_challenges(std::string_view header);

}  // namespace fairway::oci
