#include "http/internal/address_table.h"

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

bool AddressTable::begin(const AddressKey& address, std::size_t most) {
  const std::scoped_lock lock(mutex_);
  std::size_t& unfinished = held_[address].unfinished;
  if (unfinished >= most) return false;
  ++unfinished;
  return true;
}

void AddressTable::end(const AddressKey& address) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = held_.find(address); found != held_.end()) --found->second.unfinished;
}

}  // namespace fairway::http
