// SPDX-License-Identifier: Apache-2.0

// A table of remote addresses: the connections and the incomplete requests of each.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "http/internal/server/rate_limit.h"

namespace fairway::http {

/// Counts of connections and begun requests by address. It holds the addresses of open connections and begun
/// requests only. Thread-safe.
class AddressTable {
 public:
  /// Counts one more connection of this address, unless it has `most` already; returns whether it
  /// did.
  bool open(const AddressKey& address, std::size_t most);
  void close(const AddressKey& address);
  /// Returns whether the address has `most` connections or more.
  bool is_full(const AddressKey& address, std::size_t most);
  /// Counts one more incomplete request, which holds `bytes`.
  void begin(const AddressKey& address, std::size_t bytes);
  void end(const AddressKey& address, std::size_t bytes);
  /// Adds `bytes` to the memory of an incomplete request.
  void grow(const AddressKey& address, std::size_t bytes);
  /// Subtracts `bytes` from the memory of an incomplete request.
  void shrink(const AddressKey& address, std::size_t bytes);
  /// Bytes that the incomplete requests of the address hold.
  std::size_t held_by(const AddressKey& address);
  /// The address whose incomplete requests hold most, if that is more than `above`.
  std::optional<AddressKey> heaviest(std::size_t above);
  /// The address whose incomplete requests hold most, if that is more than those of `address` hold: never
  /// `address` itself, whatever other threads count for it meanwhile.
  std::optional<AddressKey> heavier_than(const AddressKey& address);

 private:
  struct Held {
    std::size_t connections = 0, unfinished = 0, bytes = 0;
  };
  // With `mutex_`.
  std::optional<AddressKey> heaviest_above(std::size_t bytes) const;
  void weigh(const AddressKey& address, Held& held, std::size_t bytes);

  std::mutex mutex_;
  std::set<std::pair<std::size_t, AddressKey>> by_bytes_;  ///< addresses that hold any bytes
  std::unordered_map<AddressKey, Held, AddressHash> held_;
};

}  // namespace fairway::http
