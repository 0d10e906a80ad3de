// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/namespace_locks.h"

namespace fairway::apiserver::objects {

std::shared_ptr<NamespaceLocks::Lock> NamespaceLocks::lock_of(const std::string& namespace_name) {
  constexpr std::size_t few = 64;
  const std::scoped_lock lock(mutex_);
  if (locks_.size() > most_locks_) {
    std::erase_if(locks_, [](const auto& entry) { return entry.second.expired(); });
    most_locks_ = 2 * locks_.size() + few;
  }
  std::weak_ptr<Lock>& entry = locks_[namespace_name];
  std::shared_ptr<Lock> found = entry.lock();
  if (found == nullptr) entry = found = std::make_shared<Lock>();
  return found;
}

NamespaceLocks::Held NamespaceLocks::share(const std::string& namespace_name) {
  Held held;
  held.lock_ = lock_of(namespace_name);
  const std::scoped_lock turn(held.lock_->turns);
  held.shared_ = std::shared_lock(held.lock_->mutex);
  return held;
}

NamespaceLocks::Held NamespaceLocks::own(const std::string& namespace_name) {
  Held held;
  held.lock_ = lock_of(namespace_name);
  const std::scoped_lock turn(held.lock_->turns);
  held.own_ = std::unique_lock(held.lock_->mutex);
  return held;
}

}  // namespace fairway::apiserver::objects
