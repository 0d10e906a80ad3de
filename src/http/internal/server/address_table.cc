// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/address_table.h"

namespace fairway::http {

bool AddressTable::open(const AddressKey& address, std::size_t most) {
  const std::scoped_lock lock(mutex_);
  std::size_t& connections = held_[address].connections;
  if (connections >= most) return false;
  ++connections;
  return true;
}

void AddressTable::close(const AddressKey& address) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(address);
  if (found != held_.end() && --found->second.connections == 0) held_.erase(found);
}

bool AddressTable::is_full(const AddressKey& address, std::size_t most) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(address);
  return found != held_.end() && found->second.connections >= most;
}

void AddressTable::begin(const AddressKey& address, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  Held& held = held_[address];
  ++held.unfinished;
  weigh(address, held, held.bytes + bytes);
}

void AddressTable::end(const AddressKey& address, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(address);
  if (found == held_.end()) return;
  --found->second.unfinished;
  weigh(address, found->second, found->second.bytes - bytes);
  if (found->second.unfinished == 0 && found->second.connections == 0) held_.erase(found);
}

void AddressTable::grow(const AddressKey& address, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(address);
  if (found != held_.end()) weigh(address, found->second, found->second.bytes + bytes);
}

void AddressTable::shrink(const AddressKey& address, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(address);
  if (found != held_.end()) weigh(address, found->second, found->second.bytes - bytes);
}

void AddressTable::weigh(const AddressKey& address, Held& held, std::size_t bytes) {
  auto node = by_bytes_.extract({held.bytes, address});
  held.bytes = bytes;
  if (bytes == 0) return;
  if (!node) {
    by_bytes_.emplace(bytes, address);
    return;
  }
  node.value().first = bytes;
  by_bytes_.insert(std::move(node));
}

std::size_t AddressTable::held_by(const AddressKey& address) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(address);
  return found == held_.end() ? 0 : found->second.bytes;
}

std::optional<AddressKey> AddressTable::heaviest(std::size_t above) {
  const std::scoped_lock lock(mutex_);
  return heaviest_above(above);
}

std::optional<AddressKey> AddressTable::heavier_than(const AddressKey& address) {
  const std::scoped_lock lock(mutex_);
  const auto found = held_.find(address);
  return heaviest_above(found == held_.end() ? 0 : found->second.bytes);
}

std::optional<AddressKey> AddressTable::heaviest_above(std::size_t bytes) const {
  if (by_bytes_.empty() || by_bytes_.rbegin()->first <= bytes) return std::nullopt;
  return by_bytes_.rbegin()->second;
}

}  // namespace fairway::http
