// What a controller sends for server-side apply.
#pragma once

#include "k8s/object.h"

namespace fairway::k8s {

enum class ApplyTo {
  object,  ///< everything but status
  status   ///< the status subresource: nothing but status
};

/// The document to apply: the object without what the server itself writes (managedFields, uid, generation,
/// resourceVersion, times), and without or with only its status. Make the object of what is to be owned
/// alone: all fields of the document become the applier's, so an object that was read from a server does not
/// belong here.
Dynamic apply_document(const Dynamic& object, ApplyTo part = ApplyTo::object);

}  // namespace fairway::k8s
