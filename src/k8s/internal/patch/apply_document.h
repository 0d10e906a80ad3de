// SPDX-License-Identifier: Apache-2.0

// Documents for server-side apply.
#pragma once

#include "k8s/object.h"

namespace fairway::k8s {

enum class ApplyTo {
  object,  ///< everything but status
  status   ///< the status subresource: nothing but status
};

/// Returns the document to apply: the object without the fields that the server sets (managedFields, uid,
/// generation, resourceVersion, times), and without or with only its status. Build the object from only the
/// fields to be owned: the field manager becomes owner of all fields of the document, so do not pass an
/// object that was read from a server.
Dynamic apply_document(const Dynamic& object, ApplyTo part = ApplyTo::object);

}  // namespace fairway::k8s
