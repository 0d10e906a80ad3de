// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/trigger.h"

#include <list>
#include <mutex>
#include <utility>

namespace fairway::kube {

struct Trigger::State {
  std::mutex mutex;
  std::list<Listener> listeners;

  void fire(const k8s::Key* key) {
    const std::lock_guard lock(mutex);
    for (const Listener& listener : listeners) listener(key);
  }
};

Trigger::Trigger() : state_(std::make_shared<State>()) {}

void Trigger::fire(const k8s::Key& key) const {
  state_->fire(&key);
}

void Trigger::fire_all() const {
  state_->fire(nullptr);
}

std::shared_ptr<void> Trigger::listen(Listener listener) const {
  const std::lock_guard lock(state_->mutex);
  const auto place = state_->listeners.insert(state_->listeners.end(), std::move(listener));
  return {nullptr, [state = state_, place](void*) {
            const std::lock_guard lock(state->mutex);
            state->listeners.erase(place);
          }};
}

}  // namespace fairway::kube
