// What each remote address holds of a server: connections, and requests that it has begun and not ended.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "http/internal/rate_limit.h"

namespace fairway::http {

/// Safe from all threads. It holds the addresses of open connections only.
class AddressTable {
 public:
  /// One more connection of this address, unless it has `most` already.
  bool open(const AddressKey& address, std::size_t most);
  void close(const AddressKey& address);
  /// Whether the address has `most` connections or more.
  bool is_full(const AddressKey& address, std::size_t most);
  /// One more request that is only partly there, unless the address has `most` already.
  bool begin(const AddressKey& address, std::size_t most);
  void end(const AddressKey& address);

 private:
  struct Held {
    std::size_t connections = 0, unfinished = 0;
  };
  std::mutex mutex_;
  std::unordered_map<AddressKey, Held, AddressHash> held_;
};

}  // namespace fairway::http
