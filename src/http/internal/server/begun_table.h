// SPDX-License-Identifier: Apache-2.0

// Requests and TLS handshakes that have only begun to come, of each remote address and of all I/O threads,
// and which of them gives way where an address has too many.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "http/internal/server/rate_limit.h"

namespace fairway::http {

class Worker;

/// The part of a request that is being received.
enum class Stage : std::uint8_t { handshake, head, body };
constexpr std::size_t stages = 3;

/// The begun requests by address. Thread-safe. It holds the addresses of begun requests only.
class BegunTable {
 public:
  struct Begun {
    Worker* worker = nullptr;  ///< worker that has the connection
    std::uint64_t number = 0;
  };

  /// Adds a request that reaches this stage now. Returns its number, which is greater than earlier ones.
  std::uint64_t enter(const AddressKey& address, Stage stage, Worker* worker, SteadyTime now);
  /// Removes a request that is complete, has reached another stage or is closed, if it is still here.
  void leave(const AddressKey& address, std::uint64_t number);
  /// Removes and returns a request of an address that has more than `most`: the oldest handshake or head that
  /// is older than `slow_since`; else the oldest in the stage that has most requests. Never `spared`.
  std::optional<Begun> give_way(const AddressKey& address, std::size_t most, SteadyTime slow_since,
                                std::uint64_t spared);

 private:
  struct Entry {
    Worker* worker;
    SteadyTime since;
  };
  using Queue = std::map<std::uint64_t, Entry>;  ///< the oldest first
  using Queues = std::array<Queue, stages>;

  std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::unordered_map<AddressKey, Queues, AddressHash> begun_;
};

}  // namespace fairway::http
