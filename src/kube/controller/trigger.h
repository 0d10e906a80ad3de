// SPDX-License-Identifier: Apache-2.0

// Reconciles triggered from outside the cluster (a channel source).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// Queues objects of the controllers that have it as a source (`ControllerBuilder::on`): after an
/// acknowledgement of a proxy, a change of a file, a timer. Copies are the same trigger. Safe from all
/// threads. A trigger that is fired while no controller runs has no effect: a controller reconciles all of
/// its objects when it starts.
class Trigger {
 public:
  Trigger();

  /// Queues this object, whether it exists or not.
  void fire(const k8s::Key& key) const;
  /// Queues all objects of the controller that its informer has now.
  void fire_all() const;

 private:
  friend class Controller;
  /// A listener, called with the key, or with nullptr for all.
  using Listener = std::function<void(const k8s::Key* key)>;
  struct State;
  /// Adds a listener. It is no longer called once the returned value is destroyed.
  std::shared_ptr<void> listen(Listener listener) const;

  std::shared_ptr<State> state_;
};

}  // namespace fairway::kube
