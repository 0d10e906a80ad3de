// Reconciles triggered from outside the cluster (a channel source).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// Queues objects of the controllers that have it as a source (`ControllerBuilder::on`): an acknowledgement
/// of a proxy, a file that changed, a timer. Copies are the same trigger. Safe from all threads. What is
/// fired while no controller runs is dropped: a controller reconciles all of its objects when it starts.
class Trigger {
 public:
  Trigger();

  /// Queues this object, whether it exists or not.
  void fire(const k8s::Key& key) const;
  /// Queues all objects of the controller that its informer has now.
  void fire_all() const;

 private:
  friend class Controller;
  /// Called with the key, or with nullptr for all.
  using Listener = std::function<void(const k8s::Key* key)>;
  struct State;
  /// Adds a listener; it is not called any more once what is returned is gone.
  std::shared_ptr<void> listen(Listener listener) const;

  std::shared_ptr<State> state_;
};

}  // namespace fairway::kube
