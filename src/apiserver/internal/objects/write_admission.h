// What admits a write, beside the rules of the server.
#pragma once

#include "apiserver/internal/resources/served_resource.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver {

/// The admission of one request's writes. Each may be asked several times, where somebody else has written
/// the object meanwhile. A Status refuses the write. Nothing of the storage is held while they run.
class WriteAdmission {
 public:
  virtual ~WriteAdmission() = default;

  /// May change an object that is to be created, or that replaces `old`, before the server's own rules.
  virtual k8s::StatusResult<void> mutate(const ServedResource& resource, k8s::Dynamic& object,
                                         const k8s::Dynamic* old) = 0;
  /// The object as it is to be stored.
  virtual k8s::StatusResult<void> validate(const ServedResource& resource, const k8s::Dynamic& object,
                                           const k8s::Dynamic* old) = 0;
  /// Before an object is deleted, or marked as deleted.
  virtual k8s::StatusResult<void> remove(const ServedResource& resource, const k8s::Dynamic& old,
                                         const k8s::DeleteOptions& options) = 0;
};

}  // namespace fairway::apiserver
