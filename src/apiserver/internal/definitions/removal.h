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

/// Where the objects of a definition are stored.
std::string storage_of(const k8s::CustomResourceDefinition& definition);

/// Deletes all that is stored, a batch at a time, whatever is served of it. Objects stay in the version in
/// which they are: nothing is converted, so that no conversion webhook can hold the deletion up. Where
/// finalizers hold objects it waits until they are gone. Nothing must be created any more.
class Removal {
 public:
  enum class Step {
    more,     ///< there is more to do at once
    waiting,  ///< for finalizers: `wake` is called when an object has changed
    failed,   ///< the storage failed: try again later
    empty,    ///< nothing is left
  };

  /// `objects` must outlive this.
  Removal(Objects& objects, const k8s::CustomResourceDefinition& definition);
  /// `wake` is not called afterwards.
  ~Removal();

  /// The next batch. It ends early, with `more`, when `stop` is requested.
  Step step(const std::stop_token& stop, const std::function<void()>& wake);
  /// Returns whether each object is gone, or waits for its finalizers.
  bool is_marked() const { return marked_; }

 private:
  Step mark_some(const std::stop_token& stop);
  Step look(const std::function<void()>& wake);
  bool remove(const storage::Record& record);

  Objects& objects_;
  const ServedResource resource_;
  std::string after_;  ///< the path of the last object that was dealt with
  bool marked_ = false;
  std::unique_ptr<storage::Watch> watch_;
};

}  // namespace fairway::apiserver::definitions
