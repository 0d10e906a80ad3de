// SPDX-License-Identifier: Apache-2.0

// The interface of admission to writes, beside the server's own rules.
#pragma once

#include "apiserver/internal/resources/served_resource.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver::objects {

/// The admission of one request's writes. Each function may be called several times, as somebody else may
/// have written the object meanwhile. A Status refuses the write. No lock of the storage is held while they
/// run.
class WriteAdmission {
 public:
  virtual ~WriteAdmission() = default;

  /// Mutates an object that is to be created, or that replaces `old`, before the server's own rules.
  virtual k8s::StatusResult<void> mutate(const resources::ServedResource& resource, k8s::Dynamic& object,
                                         const k8s::Dynamic* old) = 0;
  /// Checks the object as it is to be stored.
  virtual k8s::StatusResult<void> validate(const resources::ServedResource& resource,
                                           const k8s::Dynamic& object, const k8s::Dynamic* old) = 0;
  /// Checks a delete, before the object is deleted or marked as deleted.
  virtual k8s::StatusResult<void> remove(const resources::ServedResource& resource, const k8s::Dynamic& old,
                                         const k8s::DeleteOptions& options) = 0;
};

}  // namespace fairway::apiserver::objects
