// SPDX-License-Identifier: Apache-2.0

// A limit on the requests of one remote address: a token bucket each, in bounded memory.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/clock.h"

struct sockaddr;

namespace fairway::http {

/// The address that a limit counts for: IPv4 whole, IPv6 by its /64, which is what one customer has.
struct AddressKey {
  std::array<std::uint8_t, 8> bytes{};
  bool v6 = false;
  static AddressKey of(const sockaddr& address);
  auto operator<=>(const AddressKey&) const = default;
};

struct AddressHash {
  std::size_t operator()(const AddressKey& key) const;
};

/// Token buckets by address. Thread-safe.
class RateLimit {
 public:
  /// A bucket holds one second's worth, and at least one request.
  explicit RateLimit(double per_second, std::size_t capacity = std::size_t{1} << 16);
  /// Returns whether a request of this address may be answered now.
  bool admit(const AddressKey& address, SteadyTime now);

 private:
  struct Bucket {
    double tokens;
    SteadyTime filled;
  };
  using Buckets = std::unordered_map<AddressKey, Bucket, AddressHash>;

  const double per_second_;
  const double burst_;
  const std::size_t capacity_;
  std::mutex mutex_;
  /// Two generations: when the young one is full it becomes the old one, and addresses not seen since are
  /// forgotten.
  Buckets young_, old_;
};

}  // namespace fairway::http
