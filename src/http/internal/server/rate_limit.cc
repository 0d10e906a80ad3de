// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/rate_limit.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

namespace fairway::http {

AddressKey AddressKey::of(const sockaddr& address) {
  AddressKey key;
  if (address.sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      std::memcpy(key.bytes.data(), v6.sin6_addr.s6_addr + 12, 4);
    } else {
      std::memcpy(key.bytes.data(), v6.sin6_addr.s6_addr, 8);
      key.v6 = true;
    }
  } else if (address.sa_family == AF_INET) {
    std::memcpy(key.bytes.data(), &reinterpret_cast<const sockaddr_in&>(address).sin_addr, 4);
  }
  return key;
}

std::size_t AddressHash::operator()(const AddressKey& key) const {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size()}) +
         (key.v6 ? 1 : 0);
}

RateLimit::RateLimit(double per_second, std::size_t capacity)
    : per_second_(per_second),
      burst_(std::max(per_second, 1.0)),
      capacity_(std::max<std::size_t>(capacity / 2, 1)) {}

bool RateLimit::admit(const AddressKey& address, SteadyTime now) {
  const std::scoped_lock lock(mutex_);
  auto found = young_.find(address);
  if (found == young_.end()) {
    if (young_.size() >= capacity_) {
      old_ = std::move(young_);
      young_ = Buckets();
    }
    const auto known = old_.find(address);
    found = young_.emplace(address, known != old_.end() ? known->second : Bucket{burst_, now}).first;
  }
  Bucket& bucket = found->second;
  const double passed = std::chrono::duration<double>(now - bucket.filled).count();
  if (passed > 0) {
    bucket.tokens = std::min(burst_, bucket.tokens + passed * per_second_);
    bucket.filled = now;
  }
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

}  // namespace fairway::http
