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

/// What shows that traffic flows through a listener on an address. Probes that are equal show the same, so an
/// answer counts for as long as the probe stays what it was.
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
  /// Which Envoys there were: an answer of before one came or went shows nothing (`Envoys::session`).
  std::uint64_t session = 0;
  std::string server_name = {};
  /// PEM, each with its chain.
  std::vector<std::string> certificates = {};

  auto operator<=>(const Probe&) const = default;
  bool operator==(const Probe&) const = default;
};

/// What sends probes: `ProbeRunner`, or a stand-in of a test.
class Probes {
 public:
  virtual ~Probes() = default;
  /// Replaces what is to be shown. What is no longer in it is forgotten, with its answer.
  virtual void want(const std::set<Probe>& probes) = 0;
  /// The last word on a probe: traffic flows, or why not; std::nullopt: it is not known.
  virtual std::optional<Result<void>> answer(const Probe& probe) const = 0;
};

}  // namespace fairway::gateway
