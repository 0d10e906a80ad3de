// SPDX-License-Identifier: Apache-2.0

// A client for registries (Docker v2 and the OCI distribution API), read only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "oci/manifest.h"

namespace fairway::oci {

/// "oci://host:5000/some/repository:tag@sha256:..." in parts; tag and digest may be empty.
struct Reference {
  std::string registry;    ///< "host:5000"
  std::string repository;  ///< "some/repository"
  std::string tag;
  std::string digest;  ///< "sha256:<hex>"

  /// Parses a reference, with or without the `oci://` prefix. The error says which part is invalid.
  static Result<Reference> parse(std::string_view text);
  /// Returns the pull spec "host:5000/some/repository@sha256:..." (by digest if there is one).
  std::string to_string() const;
  Reference with_tag(std::string tag) const { return {registry, repository, std::move(tag), ""}; }
  Reference with_digest(std::string digest) const { return {registry, repository, "", std::move(digest)}; }
};

/// Returns whether a text is a tag: letters, digits, "_", "." and "-", at most 128, not starting with "." or
/// "-".
bool is_tag(std::string_view text);

struct RegistryOptions {
  std::vector<std::string> ca_files;
  bool plain_http = false;
  std::string auth_file;  ///< Docker config.json or containers auth.json; empty: none (no default
                          ///< location)
  /// Hosts ("HOST" or "HOST:PORT") that may receive the credentials as token servers, beside those of the
  /// registry's own host or registrable domain.
  std::vector<std::string> token_hosts;
  int retries = 4;      ///< retries on 429, 5xx and broken connections, with backoff and Retry-After
  int concurrency = 8;  ///< requests in flight
  std::chrono::milliseconds backoff{500};  ///< pause before the first retry; doubled for each further one
  Clock* clock = &Clock::system();         ///< clock of deadlines and waits; must outlive the client
};

/// Request counters of a client, for tests and metrics.
struct RegistryCounts {
  std::uint64_t requests = 0;   ///< all requests, retries and token requests included
  std::uint64_t heads = 0;      ///< HEADs of manifests
  std::uint64_t manifests = 0;  ///< GETs of manifests
  std::uint64_t blobs = 0;      ///< GETs of blobs
  std::uint64_t errors = 0;     ///< requests that failed: no reply, 429, 5xx
  std::uint64_t retries = 0;
};

/// A client of registries. Safe from all threads.
///
/// Errors of all calls: `unauthenticated` and `forbidden` (the text says which entry of the auth file was
/// used, or which was missing), `not_found`, `unavailable` (the registry or the network fails, after
/// retries), `conflict` (the registry sends bytes that do not match their digest or size),
/// `deadline_exceeded`, `cancelled`. Only the registry's own origin may ask for credentials: a 401 of a host
/// that it redirects to is `unavailable`. `invalid`, `unsupported` and `too_large` are about contents with
/// the right digest; a retry cannot help.
class Registry {
 public:
  /// Makes a client. Errors: the CA files or the auth file cannot be read, one of `token_hosts` is no host.
  static Result<std::unique_ptr<Registry>> create(const RegistryOptions& options);
  ~Registry();

  /// Returns all tags, sorted; follows pagination by Link headers. Tolerates registries that ignore `n`.
  Result<std::vector<std::string>> tags(const Reference& repository, const Limits& limits);
  /// Returns the current digest of a tag (one HEAD; falls back to GET if the reply of HEAD has no digest).
  Result<std::string> resolve(const Reference& reference, const Limits& limits);
  /// Fetches a manifest or index by digest or tag; the bytes are checked against the digest.
  Result<Manifest> manifest(const Reference& reference, const Limits& limits);
  /// Fetches a small blob (a config), checked against its digest. More than `limit` bytes is `too_large`.
  Result<std::string> blob(const Reference& repository, const Descriptor& descriptor, std::size_t limit,
                           const Limits& limits);
  /// Streams a blob in chunks, checked against digest and size: the data given to `sink` must not be trusted
  /// before the call succeeds. After a broken connection the download resumes where it stopped. An error of
  /// `sink` ends the call with that error.
  Result<void> stream_blob(const Reference& repository, const Descriptor& descriptor,
                           const std::function<Result<void>(std::string_view piece)>& sink,
                           const Limits& limits);
  RegistryCounts counts() const;

 private:
  struct Implementation;
  explicit Registry(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::oci
