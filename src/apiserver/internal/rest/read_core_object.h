// SPDX-License-Identifier: Apache-2.0

// Objects of the core group that a request is about, beside the one that it names.
#pragma once

#include <string>

#include "apiserver/internal/objects/objects.h"
#include "k8s/object.h"

namespace fairway::apiserver::rest {

/// Reads an object of the core group by its plural. Errors: 404.
k8s::StatusResult<k8s::Dynamic> read_core_object(objects::Objects& objects, const std::string& plural,
                                                 const k8s::Key& key);

}  // namespace fairway::apiserver::rest
