// SPDX-License-Identifier: Apache-2.0

// TLS of servers on loopback, with a certificate of an authority of their own.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "http/certificate.h"
#include "http/server.h"

namespace fairway::testing {

struct LoopbackTls {
  http::KeyedCertificate authority;
  /// Options for a server, with nothing else set.
  http::ServerOptions options;
};

/// Makes certificates that are valid from an hour ago for two hours. `name` is the common name of both
/// certificates.
inline LoopbackTls loopback_tls(const std::string& name,
                                const std::vector<std::string>& hosts = {"127.0.0.1"}) {
  const WallTime now = Clock::system().now();
  const http::Validity validity{now - std::chrono::hours(1), now + std::chrono::hours(1)};
  LoopbackTls made{.authority = http::make_authority(name, validity).value(), .options = {}};
  const auto certificate = http::issue_certificate(made.authority, name, hosts, validity).value();
  made.options.tls.emplace();
  made.options.tls->certificate = certificate.certificate;
  made.options.tls->key = certificate.key;
  return made;
}

}  // namespace fairway::testing
