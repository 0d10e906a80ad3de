// SPDX-License-Identifier: Apache-2.0

// A probe: what is sent through a listener to see that traffic flows.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::gateway {

/// A test of whether traffic flows through a listener on an address. Equal probes have the same result, so an
/// answer is valid for as long as the probe does not change.
struct Probe {
  enum class Kind {
    http,    ///< a request for `probe_host`, which Envoy answers with `configuration`
    tls,     ///< a TLS handshake for `server_name`, in which one of `certificates` is shown
    tcp,     ///< a connection
    socket,  ///< UDP: the socket is bound on this machine; datagrams would have to be answered by a backend
  };
  Kind kind = Kind::tcp;
  std::string address;
  std::uint16_t port = 0;
  /// A hash of what Envoy is given for the listener.
  std::string configuration;
  /// Number that changes with each Envoy that connects or leaves (`Envoys::session`). An answer from before
  /// such a change proves nothing.
  std::uint64_t session = 0;
  std::string server_name = {};
  /// The certificates in PEM, each with its chain.
  std::vector<std::string> certificates = {};

  auto operator<=>(const Probe&) const = default;
  bool operator==(const Probe&) const = default;
};

/// An interface to send probes: `ProbeRunner`, or a stand-in of a test.
class Probes {
 public:
  virtual ~Probes() = default;
  /// Replaces the set of probes to send. Probes that are no longer in it are forgotten, with their answers.
  virtual void want(const std::set<Probe>& probes) = 0;
  /// Returns the last answer to a probe: traffic flows, or the reason why not; std::nullopt: it is not known.
  virtual std::optional<Result<void>> answer(const Probe& probe) const = 0;
};

}  // namespace fairway::gateway
