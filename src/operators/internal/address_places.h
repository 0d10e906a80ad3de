// SPDX-License-Identifier: Apache-2.0

// A bounded number of places, of which one address gets only a share.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "http/message.h"

namespace fairway::operators {

/// Returns the address that a limit counts for: IPv4 whole, IPv6 by its /64, which is what one customer has.
std::string network_of(const http::Peer* peer);

/// The places. Safe from all threads.
class AddressPlaces {
 public:
  /// Creates places: so many in all, and so many for each address.
  AddressPlaces(std::size_t all, std::size_t per_address) : all_(all), per_address_(per_address) {}

  /// A place, which is free again when its last copy is gone.
  using Place = std::shared_ptr<const void>;
  /// Kinds of refusal: no place is left, or none for the address.
  enum class Shortage { places, address };
  /// Takes a place for an address (`network_of`).
  std::expected<Place, Shortage> take(std::string address);

 private:
  struct Counts {
    std::mutex mutex;
    std::size_t taken = 0;
    std::map<std::string, std::size_t> of_address;
  };
  struct Held;

  const std::size_t all_, per_address_;
  /// Shared with the places, which may outlive this.
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace fairway::operators
