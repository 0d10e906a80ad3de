// SPDX-License-Identifier: Apache-2.0

// The ports that the processes of this program listen on: no object may lead Envoy there, nor take them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/address_range.h"

namespace fairway::gateway {

/// One port that a process of ours listens on.
struct OwnListener {
  /// The flag that chose it: "--status-listen".
  std::string flag;
  /// The IP address, "127.0.0.1"; empty: all addresses of this machine.
  std::string address;
  std::int64_t port = 0;

  /// Reads "127.0.0.1:8081", "[::1]:8081" or ":8081". A host name counts as all addresses of this machine,
  /// since it may resolve to any. Errors (`invalid`): there is no port between 1 and 65535.
  static Result<OwnListener> parse(const std::string& flag, std::string_view listen);
  bool operator==(const OwnListener&) const = default;
};

struct OwnListeners {
  std::vector<OwnListener> listeners = {};
  /// The addresses of this machine; loopback need not be among them.
  std::vector<AddressRange> machine = {};

  /// Returns the listener of this program that a connection to an address and port would reach; nullptr:
  /// there is none. An address that is unspecified (0.0.0.0, ::) or empty stands for all addresses of this
  /// machine. Text that is not an address matches none.
  const OwnListener* find(std::string_view address, std::int64_t port) const;
  bool operator==(const OwnListeners&) const = default;
};

}  // namespace fairway::gateway
