// SPDX-License-Identifier: Apache-2.0

// Removes the objects of a CustomResourceDefinition that is being deleted.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/storage/record.h"
#include "apiserver/internal/storage/watch.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::apiserver::definitions {

/// Returns the storage path of a definition's objects.
std::string storage_of(const k8s::CustomResourceDefinition& definition);

/// Deletes all stored objects of a definition, a batch at a time, whichever versions are served. Objects stay
/// in their stored version: nothing is converted, so that no conversion webhook can delay the deletion. If
/// finalizers hold objects, it waits until they are gone. No objects may be created meanwhile.
class Removal {
 public:
  enum class Step {
    more,     ///< there is more to do at once
    waiting,  ///< waits for finalizers: `wake` is called when an object has changed
    failed,   ///< the storage failed: retry later
    empty,    ///< nothing is left
  };

  /// Makes the removal of a definition's objects. `objects` must outlive it.
  Removal(objects::Objects& objects, const k8s::CustomResourceDefinition& definition);
  /// Ends the watch. `wake` is not called afterwards.
  ~Removal();

  /// Removes the next batch. Ends early, with `more`, when `stop` is requested.
  Step step(const std::stop_token& stop, const std::function<void()>& wake);
  /// Returns whether each object is gone, or waits for its finalizers.
  bool is_marked() const { return marked_; }

 private:
  Step mark_some(const std::stop_token& stop);
  Step look(const std::function<void()>& wake);
  bool remove(const storage::Record& record);

  objects::Objects& objects_;
  const resources::ServedResource resource_;
  std::string after_;  ///< the path of the last object that was handled
  bool marked_ = false;
  std::unique_ptr<storage::Watch> watch_;
};

}  // namespace fairway::apiserver::definitions
