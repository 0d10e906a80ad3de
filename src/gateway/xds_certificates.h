// SPDX-License-Identifier: Apache-2.0

// Certificates for Envoys of this machine that connect to the controller by themselves, where the
// administrator names none.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/certificate.h"
#include "xds/server.h"

namespace fairway::gateway {

/// An authority, a certificate of the server and one of Envoys, in files of the mode 0600 in a folder of the
/// mode 0700: whoever can read the folder, who is this user, can be an Envoy. They stay over restarts, and
/// are renewed long before they end. Each file is replaced at once, with certificate and key in it, so that
/// nobody reads the one without the other.
///   server.pem      the server's certificate and key, for `localhost` and the addresses of loopback
///   envoy.pem       the certificate and key that an Envoy shows
///   ca.pem          the certificates that both sides trust: the authority, and the one before it
///   authority.pem   the authority's certificate and key
class XdsCertificates {
 public:
  /// Validity of the certificates of the server and of Envoys, and the age at which they are replaced.
  static constexpr std::chrono::nanoseconds validity = std::chrono::hours(90 * 24);
  static constexpr std::chrono::nanoseconds rotation = std::chrono::hours(30 * 24);
  /// Validity of the authority, which is replaced when only `authority_rest` of it is left.
  static constexpr std::chrono::nanoseconds authority_validity = std::chrono::hours(10 * 365 * 24);
  static constexpr std::chrono::nanoseconds authority_rest = std::chrono::hours(365 * 24);

  /// Returns whether an address to listen on, "127.0.0.1:18000", is one of loopback: these certificates are
  /// for no other.
  static bool are_for(std::string_view listen);
  /// Makes what does not exist, or is no longer of use. Errors: the folder or a file cannot be made, OpenSSL
  /// fails.
  static Result<std::unique_ptr<XdsCertificates>> create(std::filesystem::path folder, const Clock& clock);

  /// Returns the files for `xds::DiscoveryServer`, which reads them again when they change.
  xds::ServerTls tls() const;
  /// Replaces what is due. Returns the time at which the next is due.
  Result<WallTime> renew();
  /// Renews until `stop`. Errors are logged, and the renewal is tried again.
  void run(Clock& clock, const std::stop_token& stop);

 private:
  XdsCertificates(std::filesystem::path folder, const Clock& clock)
      : folder_(std::move(folder)), clock_(clock) {}
  Result<http::KeyedCertificate> authority(bool& is_new) const;

  const std::filesystem::path folder_;
  const Clock& clock_;
};

}  // namespace fairway::gateway
